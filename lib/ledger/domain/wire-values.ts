import { z } from 'zod'
import { isStorableText } from './storable-text'

/**
 * How the ledger's values travel as JSON: amounts as decimal text, since JSON has no bigint, and times in
 * ISO 8601. Each schema reads and writes (zod's codecs), so both ends of the wire share one definition.
 */

/** Far more digits than 64 bits have; the ledger checks the bounds of what it is asked for. */
const AMOUNT_PATTERN = /^-?\d{1,20}$/

const amountText = z.string().regex(AMOUNT_PATTERN)

/** In a question: the ledger itself refuses a negative one. */
export const wireAmount = z.codec(amountText, z.bigint(), { decode: BigInt, encode: String })

/** In an answer: nothing that the ledger tells is below zero. */
export const wireAmountFound = z.codec(amountText, z.bigint().nonnegative(), {
  decode: BigInt,
  encode: String,
})

export const wireTime = z.codec(z.iso.datetime(), z.date(), {
  decode: text => new Date(text),
  encode: time => time.toISOString(),
})

/** What no database can keep is refused for what it is, rather than being an error of the database. */
const storableText = z.string().refine(isStorableText, 'no text that can be kept')

/** Ids, hashes, labels, cursors. */
export const wireText = storableText.max(1_000)

/** Prices, memos, where a visitor came from. */
export const wireRecord = z
  .record(storableText.max(200), storableText.max(2_000))
  .refine(record => Object.keys(record).length <= 100, 'too many entries')

export const wireCount = z.number().int().nonnegative()
