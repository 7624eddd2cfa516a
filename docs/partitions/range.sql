-- A step that does not get its locks within a second has done nothing. Repeat it.
SET lock_timeout = '1s';

CALL partitioning.prepare('book_rating', 'RANGE (id)');
CALL partitioning.add_ranges('book_rating', '2025-01-01Z', '2026-01-01Z', '2027-01-01Z');
CALL partitioning.copy('book_rating');
CALL partitioning.swap('book_rating');

CALL partitioning.prepare('book_order', 'RANGE (id)');
CALL partitioning.add_ranges('book_order', '2025-01-01Z', '2026-01-01Z', '2027-01-01Z');
CALL partitioning.copy('book_order');
CALL partitioning.swap('book_order');
