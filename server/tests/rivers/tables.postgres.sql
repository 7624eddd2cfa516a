CREATE TABLE river (
    id serial PRIMARY KEY,
    name varchar(20) NOT NULL UNIQUE,
    length smallint NOT NULL CHECK (length > 0),
    flow numeric(6, 2)
);
CREATE TABLE city (
    id uuid PRIMARY KEY,
    river_id integer NOT NULL REFERENCES river,
    name text NOT NULL,
    people bigint,
    is_open boolean NOT NULL DEFAULT true,
    UNIQUE (river_id, name)
);
CREATE TABLE bridge (
    city_id uuid NOT NULL REFERENCES city ON DELETE RESTRICT,
    name text NOT NULL,
    opened date,
    PRIMARY KEY (city_id, name)
);
