import 'server-only'
import type { ZodType, z } from 'zod'
import type { Credential } from '@/lib/ledger/domain/accounts'
import { formatUsd, maxNano, NANO_PER_USD, type Nano, nanoToUsdNumber } from '@/lib/money/nano'
import { ApiError } from './api-error'
import type { BodiesInFlight } from './bodies-in-flight'
import { requireCredential } from './credential'
import { JsonScan } from './json-scan'
import { declaredLength, parseJson, requireLength } from './read-body'
import { receiveBody } from './receive-body'
import { requireKnown } from './require-account'

/** Read of whoever shows a credential, before it is looked up: most questions are shorter. */
const UNVERIFIED_BYTES_MAX = 16 * 1024

/**
 * What may be read grows with what is available, since bytes cost us memory and time whether or not the
 * call is paid for in the end. A quarter of a megabyte is a long conversation, enough for a free model and
 * for who has lost count of the last cents; four are a photograph, which costs about a cent to look at;
 * more is sent by who can pay for it.
 */
const STEPS: readonly { availableNano: Nano; bytesMax: number }[] = [
  { availableNano: 0n, bytesMax: 256 * 1024 },
  { availableNano: NANO_PER_USD / 100n, bytesMax: 4 * 1024 * 1024 },
  { availableNano: NANO_PER_USD / 10n, bytesMax: Number.POSITIVE_INFINITY },
]

export interface AdmittedBody<Account> {
  credential: Credential
  /** What was looked up; null where the body was too short to ask. */
  account: Account | null
  bytes: Uint8Array
  /** For a body of JSON. @throws ApiError invalid_request naming the field */
  json<Schema extends ZodType>(schema: Schema): Promise<z.output<Schema>>
  /** The body is no longer kept: to be called once it has been sent on or refused, whatever happened. */
  release(): void
}

/**
 * The body of a paid request: its credential first, then as much of it as its account may send, while
 * there is room for it and as long as it keeps coming. JSON is counted as it comes.
 *
 * @throws ApiError invalid_credential, insufficient_credit, request_too_large, rate_limited, invalid_request
 */
export async function admitBody<Account extends { availableNano: Nano }>(
  request: Request,
  input: {
    bytesMax: number
    content: 'json' | 'bytes'
    /** One query; null for a credential that is not known. */
    lookUp(credential: Credential): Promise<Account | null>
    /** Asked where too little is available: as much as this was paid for before, and is sent once more. */
    paidByteCount?(): Promise<number>
    inFlight: BodiesInFlight
  },
): Promise<AdmittedBody<Account>> {
  const credential = requireCredential(request.headers)
  const declared = declaredLength(request.headers)
  requireLength(declared, input.bytesMax)
  const asked: { account: Account | null } = { account: null }
  let admittedByteCount = UNVERIFIED_BYTES_MAX

  async function requireAllowance(byteCount: number): Promise<void> {
    asked.account ??= requireKnown(await input.lookUp(credential))
    const { availableNano } = asked.account
    admittedByteCount = bytesFor(availableNano)
    if (byteCount <= admittedByteCount) return
    admittedByteCount = Math.max(admittedByteCount, (await input.paidByteCount?.()) ?? 0)
    if (byteCount > admittedByteCount) throw tooLarge(byteCount, availableNano)
  }

  if (declared > admittedByteCount) await requireAllowance(declared)
  const body = input.inFlight.open(request.headers)
  const scan = input.content === 'json' ? new JsonScan() : undefined
  let byteCount = 0
  try {
    const bytes = await receiveBody(request, {
      onRefusable: refuse => body.onRefused(refuse),
      onPiece(piece) {
        byteCount += piece.byteLength
        requireLength(byteCount, input.bytesMax)
        body.add(piece.byteLength)
        scan?.push(piece)
        if (byteCount > admittedByteCount) return requireAllowance(byteCount)
      },
    })
    body.settle()
    return {
      credential,
      account: asked.account,
      bytes,
      json: schema => parseJson(bytes, schema, scan),
      release: body.end,
    }
  } catch (error) {
    body.end()
    throw error
  }
}

function bytesFor(availableNano: Nano): number {
  return Math.max(
    ...STEPS.map((step, index) => (index === 0 || availableNano >= step.availableNano ? step.bytesMax : 0)),
  )
}

function tooLarge(byteCount: number, availableNano: Nano): ApiError {
  const neededNano = STEPS.find(({ bytesMax }) => byteCount <= bytesMax)?.availableNano ?? 0n
  const message = `A request of this size takes ${formatUsd(neededNano)} USD of available credit.`
  return new ApiError('insufficient_credit', message, {
    details: {
      required_usd: nanoToUsdNumber(neededNano),
      available_usd: nanoToUsdNumber(maxNano(0n, availableNano)),
    },
  })
}
