CREATE TABLE river (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    length INTEGER NOT NULL
);
CREATE TABLE city (
    id INTEGER PRIMARY KEY,
    river_id INTEGER NOT NULL REFERENCES river,
    name TEXT NOT NULL,
    people INTEGER
);

-- One index per order, which ends in the primary key.
CREATE INDEX river_name ON river (name, id);
CREATE INDEX river_length ON river (length, id);
CREATE INDEX city_name ON city (name, id);
CREATE INDEX city_people ON city (people, id);

-- The same for the cities of a river, after the reference to it.
CREATE INDEX city_of_river ON city (river_id, id);
CREATE INDEX city_of_river_name ON city (river_id, name, id);
CREATE INDEX city_of_river_people ON city (river_id, people, id);

INSERT INTO river (id, name, length) VALUES
    (1, 'Danube', 2850), (2, 'Elbe', 1094), (3, 'Nile', 6650), (4, 'Rhine', 1233);
INSERT INTO city (id, river_id, name, people) VALUES
    (1, 1, 'Vienna', 2006000), (2, 1, 'Budapest', 1686000), (3, 1, 'Belgrade', 1197000), (4, 1, 'Vicus', NULL),
    (5, 2, 'Dresden', 566000), (6, 2, 'Hamburg', 1910000), (7, 3, 'Cairo', 10200000), (8, 3, 'Khartoum', 6344000),
    (9, 4, 'Basel', 178000), (10, 4, 'Cologne', 1087000), (11, 4, 'Rotterdam', 655000);
