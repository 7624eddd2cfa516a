-- A step that does not get its locks within a second has done nothing. Repeat it.
SET lock_timeout = '1s';

CALL partitioning.prepare('book_rating', 'HASH (id)');
CALL partitioning.add_hash('book_rating', 4);
CALL partitioning.copy('book_rating');
CALL partitioning.swap('book_rating');

CALL partitioning.prepare('book_order', 'HASH (id)');
CALL partitioning.add_hash('book_order', 4);
CALL partitioning.copy('book_order');
CALL partitioning.swap('book_order');
