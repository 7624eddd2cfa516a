"""Keys in the cursors of django-universal-paginator, for a comparison with those of keyset.

`write FILE` has the paginator encode keys. Each line has the cursor without its direction, and the type and the text of
each value. `read FILE` has the paginator decode such lines, and compares the values.
"""

import random
import struct
import sys
import warnings
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal

from django_universal_paginator.utils import url_decode_order_key, url_encode_order_key

# It calls a function of Python that is to be removed.
warnings.simplefilter('ignore', DeprecationWarning)

WIDTHS = [0, 256, 65_792, 4_295_033_088, 4_295_033_088 + 2**64]


def describe(value):
    match value:
        case None:
            return 'null', ''
        case bool():
            return 'boolean', str(value).lower()
        case int():
            return 'integer', str(value)
        case str():
            return 'text', value.encode().hex()
        case bytes():
            return 'bytes', value.hex()
        case float():
            return 'double', struct.pack('!d', value).hex()
        case Decimal():
            return 'decimal', f'{value.normalize():f}'
        case datetime(tzinfo=None):
            return 'date-time', value.isoformat(timespec='microseconds')
        case datetime():
            return 'instant', value.astimezone(timezone.utc).replace(tzinfo=None).isoformat(timespec='microseconds')
        case date():
            return 'date', value.isoformat()
        case time():
            return 'time', value.isoformat(timespec='microseconds')


def letter(dice):
    return chr(dice.choice((dice.randrange(1, 127), dice.randrange(0x100, 0xd800))))


def values(dice):
    yield from (None, True, False)
    for start in WIDTHS:
        for near in range(-2, 3):
            for sign in (1, -1):
                yield sign * (start + near)
                yield Decimal(sign * (start + near))
    for length in (0, 1, 63, 64, 65, 319, 320, 321, 65_855):
        yield 'x' * length
    for length in (0, 1, 255, 65_535):
        yield bytes(length)
    yield from (0.5, 1e300, -2.0, float('inf'), float('-inf'))
    yield from map(Decimal, ('9.99', '-0.01', '0.5', '-123456789.123456789'))
    yield from (date(1970, 1, 1), date(1, 1, 2), date(9998, 12, 31), date(2000, 2, 29))
    yield from (datetime(1970, 1, 1), datetime(1, 1, 1), datetime(9998, 12, 31, 23, 59, 59, 999_999))
    for _ in range(3_000):
        yield dice.getrandbits(dice.randrange(1, 127)) * dice.choice((1, -1))
        yield Decimal(dice.getrandbits(dice.randrange(1, 90)) * dice.choice((1, -1)))
        # The last digit is not zero: keyset drops trailing zeros.
        digits = dice.getrandbits(60) // 10 * 10 + dice.randrange(1, 10)
        yield Decimal(digits).scaleb(-dice.randrange(1, 6))
        yield dice.uniform(-1, 1) * 10.0 ** dice.randrange(-300, 300)
        yield ''.join(letter(dice) for _ in range(dice.randrange(200)))
        yield dice.randbytes(dice.randrange(200))
        instant = datetime(1, 1, 2) + timedelta(microseconds=dice.randrange(9_980 * 365 * 86_400 * 10**6))
        yield instant
        yield instant.replace(microsecond=0)
        yield instant.replace(tzinfo=timezone.utc)
        yield instant.replace(tzinfo=timezone(timedelta(minutes=dice.randrange(-600, 600))))
        yield instant.replace(microsecond=0, tzinfo=timezone.utc)
        yield instant.time()
        yield instant.time().replace(microsecond=0)
        yield instant.date()


def keys(dice):
    last = list(values(dice))
    # It decodes bytes wrongly if a value follows.
    others = [value for value in last if not isinstance(value, bytes)]
    yield [datetime(2021, 10, 25, 22, tzinfo=timezone.utc), 7]
    for value in last:
        yield [value]
    for _ in range(10_000):
        yield [*dice.choices(others, k=dice.randrange(1, 3)), dice.choice(last)]


def described(key):
    return [part for value in key for part in describe(value)]


def write(file):
    for key in keys(random.Random(0)):
        print(url_encode_order_key(key), *described(key), sep='\t', file=file)


def read(file):
    number = 0
    for number, line in enumerate(file, 1):
        cursor, *expected = line.rstrip('\n').split('\t')
        found = described(url_decode_order_key(cursor))
        assert found == expected, f'{cursor}: {found}, not {expected}'
    assert number > 1_000, f'{number} cursors only'
    print(f'{number} cursors of keyset decoded by the paginator')


if __name__ == '__main__':
    command, path = sys.argv[1:]
    with open(path, 'w' if command == 'write' else 'r', encoding='utf-8') as file:
        {'write': write, 'read': read}[command](file)
