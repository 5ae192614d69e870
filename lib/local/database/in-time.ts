import { within } from '@/lib/http/domain/within'

/** Longer than any that works takes to open. In some versions of WebKit, one may never answer. */
const PATIENCE_MS = 15_000

/** @throws if the browser's database does not answer: an error can be shown, and endless waiting cannot. */
export async function inTime<Answer extends object | boolean>(answer: PromiseLike<Answer>): Promise<Answer> {
  const given = await within(PATIENCE_MS, Promise.resolve(answer))
  if (given === null) throw new Error('The database of this browser does not answer.')
  return given
}
