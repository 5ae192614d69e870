/**
 * The document of a frame of ours, or its script. Without an age, Next lets shared caches keep it for a year, and with a
 * document its policy (`staticHeaders`).
 */
export function frameFile(type: 'html' | 'javascript', text: string): Response {
  return new Response(text, {
    headers: { 'content-type': `text/${type}; charset=utf-8`, 'cache-control': 'public, max-age=86400' },
  })
}
