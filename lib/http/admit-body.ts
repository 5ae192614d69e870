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

/** Read before the credential is looked up, which most bodies are shorter than. */
const UNVERIFIED_BYTES_MAX = 16 * 1024

/** What may be sent with an empty balance: a long conversation, enough for a free model. */
export const UNPAID_BODY_BYTES_MAX = 256 * 1024

/**
 * The size of a body is limited by the available credit, since bytes take memory and time whether or not the call is
 * paid for in the end. Four megabytes are a photograph, which takes about a cent. Anything larger takes credit that
 * can pay for it.
 */
const STEPS: readonly { availableNano: Nano; bytesMax: number }[] = [
  { availableNano: 0n, bytesMax: UNPAID_BODY_BYTES_MAX },
  { availableNano: NANO_PER_USD / 100n, bytesMax: 4 * 1024 * 1024 },
  { availableNano: NANO_PER_USD / 10n, bytesMax: Number.POSITIVE_INFINITY },
]

export interface AdmittedBody {
  bytes: Uint8Array
  /** For a body of JSON. @throws ApiError invalid_request naming the field */
  json<Schema extends ZodType>(schema: Schema): Promise<z.output<Schema>>
  /** Frees the body's place in memory: to be called once it has been sent on or refused, whatever happened. */
  release(): void
}

/**
 * Reads the body of a paid request: first the credential, then as much as its account may send, while there is room
 * for it and as long as it keeps arriving. The values of JSON are counted while it arrives.
 *
 * @throws ApiError invalid_credential, insufficient_credit, request_too_large, rate_limited, invalid_request
 */
export async function admitBody(
  request: Request,
  input: {
    bytesMax: number
    content: 'json' | 'bytes'
    /** Null for an unknown credential. */
    lookUp(credential: Credential): Promise<{ availableNano: Nano } | null>
    /** For a balance that is too low: the length of a body that was paid for before and may be sent again. */
    paidByteCount?(): Promise<number>
    inFlight: BodiesInFlight
  },
): Promise<AdmittedBody> {
  const credential = requireCredential(request.headers)
  const declared = declaredLength(request.headers)
  requireLength(declared, input.bytesMax)
  let account: { availableNano: Nano } | undefined
  let admittedByteCount = UNVERIFIED_BYTES_MAX

  async function requireAllowance(byteCount: number): Promise<void> {
    account ??= requireKnown(await input.lookUp(credential))
    const { availableNano } = account
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
  const thereNano = maxNano(0n, availableNano)
  const message = `A request of this size needs ${formatUsd(neededNano)} USD of credit, and ${formatUsd(thereNano)} USD are available.`
  return new ApiError('insufficient_credit', message, {
    details: { required_usd: nanoToUsdNumber(neededNano), available_usd: nanoToUsdNumber(thereNano) },
  })
}
