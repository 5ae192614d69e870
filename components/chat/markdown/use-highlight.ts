import { useEffect, useState } from 'react'
import type { CodeSpan } from './code-spans'

/** Longer code stays plain: colouring it would hold up the page for more than a frame or two. */
const HIGHLIGHT_LENGTH_MAX = 16_000
/** Colours may wait for a busy page, but not for ever. */
const IDLE_TIMEOUT_MS = 1_000

/** Spans of a finished code block, once the highlighter has arrived and the page has a moment; else null. */
export function useHighlight(code: string, language: string, finished: boolean): readonly CodeSpan[] | null {
  const [result, setResult] = useState<{ code: string; spans: readonly CodeSpan[] | null } | null>(null)
  const wanted = finished && language !== '' && code.length <= HIGHLIGHT_LENGTH_MAX

  useEffect(() => {
    if (!wanted) return
    let current = true
    const cancel = whenIdle(async () => {
      const { highlightCode } = await import('./highlight')
      if (current) setResult({ code, spans: highlightCode(code, language) })
    })
    return () => {
      current = false
      cancel()
    }
  }, [wanted, code, language])

  return wanted && result?.code === code ? result.spans : null
}

/** requestIdleCallback where the browser has it (Safari does not). Returns how to cancel. */
function whenIdle(task: () => void): () => void {
  if (typeof requestIdleCallback === 'function') {
    const handle = requestIdleCallback(task, { timeout: IDLE_TIMEOUT_MS })
    return () => cancelIdleCallback(handle)
  }
  const timer = setTimeout(task, 0)
  return () => clearTimeout(timer)
}
