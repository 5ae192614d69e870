/** Longer than any that works takes to open. In some versions of WebKit, one may never answer. */
const PATIENCE_MS = 15_000

/** @throws if the browser's database does not answer: an error can be shown, and endless waiting cannot. */
export function inTime<Answer>(answer: PromiseLike<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Error('The database of this browser does not answer.'))
    const timer = setTimeout(giveUp, PATIENCE_MS)
    answer.then(resolve, reject).then(() => clearTimeout(timer))
  })
}
