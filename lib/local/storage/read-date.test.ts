import { expect, test } from '@jest/globals'
import { readDate } from './read-date'

test.each([undefined, null, '', 'yesterday', Number.NaN, Number.POSITIVE_INFINITY, {}, [], new Date('?')])(
  'does not accept %p as a date',
  value => {
    expect(readDate(value)).toBeNull()
  },
)

test.each(['2025-01-12', '2025-01-12T00:00:00Z', '2025-01-12T01:00:00.000+01:00'])(
  'keeps %p as written',
  text => {
    expect(readDate(text)).toBe(text)
  },
)

test.each([1_736_640_000_000, 1_736_640_000, '1736640000000', '1736640000', new Date(1_736_640_000_000)])(
  'reads %p as a time',
  value => {
    expect(readDate(value)).toBe('2025-01-12T00:00:00.000Z')
  },
)
