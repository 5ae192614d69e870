/** What became of one call to this site's own API or to its sign-in service. Never a header, a body or an answer's text. */
export interface CallOutcome {
  method: string
  /** As it was requested: whoever reports it must reduce it to its shape. */
  path: string
  /** Null when no answer came. */
  status: number | null
  /** Name and message of what `fetch` threw, or of why it was aborted; null for an answer. */
  failure: { name: string; message: string } | null
}
