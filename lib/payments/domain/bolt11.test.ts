import { describe, expect, test } from '@jest/globals'
import { bech32 } from '@scure/base'
import { readBolt11, SIGNATURE_WORD_COUNT } from './bolt11'

/** From the examples of BOLT #11: "Please send $3 for a cup of coffee to the same peer, within one minute". */
const COFFEE =
  'lnbc2500u1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdq5xysxxatsyp3k7enxv4jsxqzpuaztrnwngzn3kdzw5hydlzf03qdgm2hdq27cqv3agm2awhz5se903vruatfhq77w3ls4evs3ch9zw97j25emudupq63nyw24cg27h2rspfj9srp'
/** "Please make a donation of any amount" */
const DONATION =
  'lnbc1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdpl2pkx2ctnv5sxxmmwwd5kgetjypeh2ursdae8g6twvus8g6rfwvs8qun0dfjkxaq8rkx3yf5tcsyz3d73gafnh3cax9rn449d9p5uxz9ezhhypd0elx87sjle52x86fux2ypatgddc6k63n7erqz25le42c4u4ecky03ylcqca784w'
/** The same with a payment secret, of the same length, before the payment hash, as wallets write it today. */
const WITH_SECRET =
  'lnbc1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdpl2pkx2ctnv5sxxmmwwd5kgetjypeh2ursdae8g6twvus8g6rfwvs8qun0dfjkxaq9qrsgq357wnc5r2ueh7ck6q93dj32dlqnls087fxdwk8qakdyafkq3yap9us6v52vjjsrvywa6rt52cm9r9zqt8r2t7mlcwspyetp5h2tztugp9lfyql'
const PAYMENT_HASH = '0001020304050607080900010203040506070809000102030405060708090102'

describe('a BOLT11 invoice', () => {
  test('is read into network, amount and payment hash', () => {
    expect(readBolt11(COFFEE)).toEqual({
      network: 'mainnet',
      millisatoshis: 250_000_000n,
      paymentHash: PAYMENT_HASH,
    })
    expect(readBolt11(COFFEE.toUpperCase())).toEqual(readBolt11(COFFEE))
    expect(readBolt11(DONATION)).toMatchObject({ millisatoshis: null, paymentHash: PAYMENT_HASH })
    expect(readBolt11(WITH_SECRET)).toEqual(readBolt11(DONATION))
  })

  /** The words of a payment hash, as in the example. */
  const HASH_FIELD = bech32.decode(COFFEE as `${string}1${string}`, false).words.slice(7, 7 + 3 + 52)
  const write = (prefix: string, fields: number[]) =>
    bech32.encode(prefix, [...Array(7).fill(0), ...fields, ...Array(SIGNATURE_WORD_COUNT).fill(0)], false)

  test('is read past fields of another kind or length', () => {
    const others = [13, 0, 1, 5, 1, 0, 2, 9, 9]
    expect(readBolt11(write('lnbc10n', [...others, ...HASH_FIELD]))).toEqual({
      network: 'mainnet',
      millisatoshis: 1_000n,
      paymentHash: PAYMENT_HASH,
    })
  })

  test.each([
    ['another network', 'lnsb10n', HASH_FIELD],
    ['a part of a millisatoshi', 'lnbc1p', HASH_FIELD],
    ['no payment hash', 'lnbc10n', []],
    ['a payment hash of two words', 'lnbc10n', [1, 0, 2, 9, 9]],
  ])('with %s is rejected', (_what, prefix, fields) => {
    expect(readBolt11(write(prefix, fields))).toBeNull()
  })

  test.each([
    ['nothing', ''],
    ['an unrelated word', 'lnbc1scripted'],
    ['an invoice with a letter changed', COFFEE.replace('qqqsyq', 'qqqsyp')],
    ['a truncated invoice', COFFEE.slice(0, 60)],
    ['an address', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'],
  ])('%s is rejected', (_what, text) => {
    expect(readBolt11(text)).toBeNull()
  })
})
