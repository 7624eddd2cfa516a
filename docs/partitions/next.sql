SET lock_timeout = '1s';
CALL partitioning.next('book_rating', 'book_rating_2027_01_01', '2028-01-01Z');
CALL partitioning.next('book_order', 'book_order_2027_01_01', '2028-01-01Z');
