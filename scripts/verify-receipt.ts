import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/**
 * Checks a receipt of `GET /queries/{id}/receipt` with plain Node (22.18 or newer) and none of the site's own code.
 *
 * node scripts/verify-receipt.ts receipt.jws https://the-site.example
 *
 * The signature must be by a key that the site publishes, and the charge must equal counts times prices; what cannot be
 * recomputed is reported. Exits with 0 if all is right, with 1 if something is not, with 2 if it could not be checked.
 */

/** Prices that are missing or zero are those of the general kind. */
const GENERAL: Record<string, string> = {
  image_token: 'prompt',
  audio: 'prompt',
  input_cache_read: 'prompt',
  input_audio_cache: 'input_cache_read',
  input_cache_write: 'prompt',
  input_cache_write_1h: 'input_cache_write',
  internal_reasoning: 'completion',
  image_output: 'completion',
  audio_output: 'completion',
}
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
/** The decimal places of all calculations: more than prices per token have, even with a markup. */
const SCALE = 128
const NO_JWS = 'This is not a compact JWS.'

type Texts = Record<string, string>

export interface SignedReceipt {
  version: number
  iss: string
  id: string
  called_at: string
  model: string
  query_type: string
  status: string
  prices: Texts
  price_version: string
  counts: Record<string, number>
  estimated: boolean
  cost_basis: string
  other_model: boolean
  service_tier: string | null
  held_usd: string
  charged_usd: string
}

/** @throws Error with a message for whoever runs the check */
export function readSigned(jws: string, jwks: { keys: readonly JsonWebKey[] }, site: string): SignedReceipt {
  const [header, payload, signature, ...rest] = jws.trim().split('.')
  if (!header || !payload || !signature || rest.length > 0) throw new Error(NO_JWS)
  const { alg, kid, typ, crit } = decode(header)
  if (alg !== 'EdDSA' || typ !== 'receipt+jws' || crit !== undefined)
    throw new Error('This is signed, but it is not a receipt.')
  const key = jwks.keys.find(known => known.kid === kid)
  if (!key) throw new Error(`The site does not publish the key ${kid}.`)
  const publicKey = createPublicKey({ key, format: 'jwk' })
  if (publicKey.asymmetricKeyType !== 'ed25519') throw new Error('The key is not an Ed25519 key.')
  const bytes = Buffer.from(signature, 'base64url')
  if (
    bytes.toString('base64url') !== signature ||
    !verify(null, Buffer.from(`${header}.${payload}`), publicKey, bytes)
  )
    throw new Error('The signature does not match: the receipt was altered, or is from another site.')
  const receipt = decode(payload)
  if (receipt.version !== 1) throw new Error('The version of this receipt is unknown.')
  if (receipt.iss !== site) throw new Error(`The receipt is from ${receipt.iss}, not from ${site}.`)
  const version = createHash('sha256').update(JSON.stringify(receipt.prices)).digest('hex')
  if (receipt.price_version !== `sha256:${version}`)
    throw new Error('The price version does not match the prices.')
  return receipt
}

interface Finding {
  outcome: 'right' | 'wrong' | 'unknown'
  sentence: string
}

/** Whether the charge equals counts times prices. */
export function checkCharge(receipt: SignedReceipt): Finding {
  const charged = nano(receipt.charged_usd)
  const held = nano(receipt.held_usd)
  if (charged > held) return { outcome: 'wrong', sentence: 'More was charged than was held.' }
  if (charged === 0n) return { outcome: 'right', sentence: 'Nothing was charged.' }
  if (receipt.cost_basis === 'none')
    return { outcome: 'wrong', sentence: 'Something was charged for a call that should cost nothing.' }
  const { from, to } = reckon(receipt)
  const computed = `by counts and prices it is ${usd(from)}${to === from ? '' : ` to ${usd(to)}`} USD`
  if (receipt.cost_basis === 'upstream_cost' || receipt.cost_basis === 'upstream_record') {
    const sentence = `The charge is the cost that the model's host reported, with the site's markup, so it cannot be recomputed (${computed}).`
    return { outcome: 'unknown', sentence }
  }
  if (receipt.other_model) {
    const sentence = `Another model of the request answered, and its prices are not in the receipt (by the prices in it, ${computed}).`
    return { outcome: 'unknown', sentence }
  }
  // The part above the hold is the site's loss.
  const [least = held] = [from, held].sort(ascending)
  const [most = held] = [to, held].sort(ascending)
  if (charged >= least && charged <= most) {
    const ownCounts = receipt.estimated ? ' The counts are the site’s own.' : ''
    return {
      outcome: 'right',
      sentence: `The charge is right: ${computed}, of at most ${usd(held)} USD.${ownCounts}`,
    }
  }
  return { outcome: 'wrong', sentence: `The charge is not right: ${computed}.` }
}

/** The cost of the call in nano-dollars, within bounds if it is not certain which prices applied. */
export function reckon(receipt: SignedReceipt): { from: bigint; to: bigint } {
  const amounts = possiblePrices(receipt).map(prices => cost(prices, receipt.counts))
  amounts.sort(ascending)
  return { from: amounts[0] ?? 0n, to: amounts.at(-1) ?? 0n }
}

/** Each kind of unit at its own price; exact until it is rounded up, once, to a nano-dollar. */
function cost(prices: Texts, counts: Record<string, number>): bigint {
  const of = (name: string) => counts[name] ?? 0
  const price = (name: string) => priceOf(prices, name)
  const sums: bigint[] = []
  const add = (count: number, amount: bigint) => sums.push(BigInt(count) * amount)
  const dearer = (left: bigint, right: bigint) => (left > right ? left : right)
  if (prices.input_character !== undefined) add(of('input'), price('input_character'))
  else if (prices.input_second !== undefined)
    sums.push(dearer(BigInt(of('input')) * price('input_second'), price('recording_min')))
  else {
    let left = of('input')
    const take = (name: string) => {
      const taken = Math.min(of(name), left)
      left -= taken
      return taken
    }
    const cached = take('cached_input')
    const written = take('cache_write_input')
    const longWritten = Math.min(of('long_cache_write_input'), written)
    const image = take('image_input')
    const audio = take('audio_input')
    add(left, price('prompt'))
    // No upstream reports how much of the sound came from the cache, so the dearer of the two.
    add(cached, dearer(price('input_cache_read'), audio > 0 ? price('input_audio_cache') : 0n))
    add(written - longWritten, price('input_cache_write'))
    add(longWritten, price('input_cache_write_1h'))
    add(image, price('image_token'))
    add(audio, price('audio'))
    left = of('output')
    add(take('image_output'), price('image_output'))
    add(take('audio_output'), price('audio_output'))
    add(take('reasoning'), price('internal_reasoning'))
    add(left, price('completion'))
    add(of('image'), price('image'))
    add(of('web_search'), price('web_search'))
  }
  const exact = sums.reduce((sum, amount) => sum + amount, price('request'))
  const unit = 10n ** BigInt(SCALE - 9)
  return (exact + unit - 1n) / unit
}

function priceOf(prices: Texts, name: string): bigint {
  const own = scaled(prices[name] ?? '0')
  const general = GENERAL[name]
  return own === 0n && general ? priceOf(prices, general) : own
}

/** With and without each override that may or may not have applied. */
function possiblePrices(receipt: SignedReceipt): Texts[] {
  const { prices, counts, called_at: calledAt, query_type: type, service_tier: tier } = receipt
  const entries = Object.entries(prices)
  const overrides = entries
    .filter(([name]) => name.startsWith('overrides.'))
    .sort(([left], [right]) => Number(left.slice(10)) - Number(right.slice(10)))
    .map(([, text]) => JSON.parse(text))
  let possible: Texts[] = [Object.fromEntries(entries.filter(([name]) => !name.startsWith('overrides.')))]
  for (const override of overrides) {
    const { min_prompt_tokens: above, utc_start, utc_end, utc_days, service_tier, ...own } = override
    if (service_tier !== undefined && service_tier !== tier) continue
    if (above !== undefined && (counts.input ?? 0) <= Number(above)) continue
    const isTimed = utc_start !== undefined || utc_end !== undefined || utc_days !== undefined
    const isCertain = above !== undefined || service_tier !== undefined || isTimed
    // Only chats are charged by the hour, and the clock of the charge may be a moment later than that of the receipt.
    const during = isTimed ? isDuring(override, calledAt) : true
    if (during === false && type === 'chat') continue
    const applied = possible.map(before => ({ ...before, ...own }))
    const isSure = isCertain && during === true && (!isTimed || type === 'chat')
    possible = isSure ? applied : [...possible, ...applied]
  }
  return possible
}

interface Times {
  utc_start?: string | number
  utc_end?: string | number
  utc_days?: string[]
}

/** Null if it is not certain: near the start or end of the window, or on a night that belongs to two days. */
function isDuring(times: Times, calledAt: string): boolean | null {
  const at = Date.parse(calledAt)
  const seen = new Set([-60_000, 0, 60_000].map(shift => isDuringMinute(times, at + shift)))
  return seen.size === 1 ? ([...seen][0] ?? null) : null
}

function isDuringMinute({ utc_start = 0, utc_end = 0, utc_days: days }: Times, time: number): boolean | null {
  const date = new Date(time)
  const minute = date.getUTCHours() * 60 + date.getUTCMinutes()
  const from = clock(utc_start)
  const to = clock(utc_end) || 1_440
  const isDay = (shift: number) =>
    !days ||
    days.some(day => day.toLowerCase().slice(0, 3) === DAYS[(date.getUTCDay() + shift + 7) % 7]?.slice(0, 3))
  if (from < to) return isDay(0) && minute >= from && minute < to
  if (from === to) return isDay(0) || isDay(-1) ? null : false
  if (minute >= from) return isDay(0)
  if (minute >= to) return false
  return isDay(0) === isDay(-1) ? isDay(0) : null
}

function clock(value: string | number): number {
  const number = Number(String(value).replace(':', ''))
  return Math.floor(number / 100) * 60 + (number % 100)
}

/** A decimal text as a whole number of 10^-128 dollars. */
function scaled(text: string): bigint {
  const [whole = '', fraction = ''] = String(text).split('.')
  return BigInt(whole + fraction.padEnd(SCALE, '0'))
}

function nano(text: string): bigint {
  return scaled(text) / 10n ** BigInt(SCALE - 9)
}

function ascending(left: bigint, right: bigint): number {
  return left < right ? -1 : 1
}

function usd(amount: bigint): string {
  const digits = String(amount).padStart(10, '0')
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`.replace(/\.?0+$/, '')
}

function decode(part: string) {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
  } catch (cause) {
    throw new Error(NO_JWS, { cause })
  }
}

async function main([file, address]: string[]): Promise<number> {
  if (!file || !address) {
    console.error('node scripts/verify-receipt.ts <file of the receipt> <address of the site>')
    return 2
  }
  const site = address.replace(/\/+$/, '')
  let jws: string
  let jwks: Parameters<typeof readSigned>[1]
  try {
    jws = readFileSync(file, 'utf8')
    jwks = await fetchKeys(site)
  } catch (error) {
    console.error(sentenceOf(error))
    return 2
  }
  const receipt = readSigned(jws, jwks, site)
  const { outcome, sentence } = checkCharge(receipt)
  console.log(`The signature is right: ${site} charged ${receipt.charged_usd} USD for the call ${receipt.id}`)
  console.log(`of ${receipt.called_at} to ${receipt.model}, which ended as "${receipt.status}".`)
  console.log(sentence)
  return { right: 0, wrong: 1, unknown: 0 }[outcome]
}

async function fetchKeys(site: string): Promise<{ keys: readonly JsonWebKey[] }> {
  try {
    const response = await fetch(`${site}/.well-known/jwks.json`)
    if (!response.ok) throw new Error(`status ${response.status}`)
    return await response.json()
  } catch (error) {
    // The error only says that a fetch failed; its cause says why.
    const { cause = error } = Object(error)
    throw new Error(`The keys of ${site} could not be fetched: ${sentenceOf(cause)}`)
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    process.exitCode = await main(process.argv.slice(2))
  } catch (error) {
    console.error(sentenceOf(error))
    process.exitCode = 1
  }
}
