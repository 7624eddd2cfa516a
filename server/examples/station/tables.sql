CREATE TABLE sensor (id uuid PRIMARY KEY, name varchar(100) NOT NULL CHECK (name <> ''),
    year integer NOT NULL CHECK (year BETWEEN -9999 AND 9999));
CREATE TABLE reading (id uuid PRIMARY KEY, value smallint NOT NULL CHECK (value BETWEEN 1 AND 5),
    sensor_id uuid NOT NULL REFERENCES sensor);
CREATE TABLE repair (id uuid PRIMARY KEY, cost numeric(10, 2) NOT NULL CHECK (cost >= 0),
    sensor_id uuid NOT NULL REFERENCES sensor);
