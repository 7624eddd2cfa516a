DROP SCHEMA unpartitioned CASCADE;
