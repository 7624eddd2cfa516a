CREATE TABLE river (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    length INTEGER NOT NULL CHECK (length > 0),
    flow REAL
);
CREATE TABLE city (
    id BLOB PRIMARY KEY,
    river_id INTEGER NOT NULL REFERENCES river,
    name TEXT NOT NULL,
    people INTEGER,
    is_open BOOLEAN NOT NULL DEFAULT TRUE,
    UNIQUE (river_id, name)
);
CREATE TABLE bridge (
    city_id BLOB NOT NULL REFERENCES city ON DELETE RESTRICT,
    name TEXT NOT NULL,
    opened TEXT,
    PRIMARY KEY (city_id, name)
);
