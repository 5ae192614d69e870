import 'server-only'
import type { WholeAnswer } from './call-answer'
import { COMPLETED, endOfAbort } from './exchange-stopped'
import { replyHeaders } from './metered-reply'
import type { Metering } from './metering'
import type { HandOn } from './run-call'

/** Settles for an answer in one piece and hands it on with what it cost. */
export async function handOnWhole(
  metering: Metering,
  input: HandOn & { answer: WholeAnswer; startedAtMs: number },
): Promise<void> {
  const { answer, abort, holdId } = input
  const settlement = await input.resolve({
    // The upstream has delivered; a client that left in the meantime does not undo that.
    end: abort.signal.aborted ? endOfAbort(abort.signal) : COMPLETED,
    upstreamId: answer.upstreamId,
    charge: answer.charge,
    timeToFirstByteMs: Math.round(metering.now() - input.startedAtMs),
  })
  const { contentType, headers, body } = answer.write(settlement)
  // Kept first: whoever has the answer may ask for it again at once.
  await input.keep({ contentType, headers, entries: [body] })
  const bytes = new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength)
  input.onReply({ status: 200, headers: replyHeaders(holdId, contentType, headers), body: bytes })
}
