/** Opens on the first call and keeps the result; failures are not kept, so that the next call tries again. */
export function openedOnce<Opened>(open: () => Promise<Opened>): () => Promise<Opened> {
  let opening: Promise<Opened> | null = null
  return () => {
    opening ??= open().catch(error => {
      opening = null
      throw error
    })
    return opening
  }
}
