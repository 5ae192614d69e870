import { createServer } from 'node:http'

/** What the widget's page finds out about the page around it, for a test to read. */
const PAGE = `<!doctype html>
<html lang="en">
<head><title>Support</title></head>
<body>
<section aria-label="Chat">
<h1>How can we help?</h1>
<form><label>Your message <input name="message"></label><button>Send message</button></form>
<p id="referrer"></p><p id="storage"></p><p id="top"></p>
</section>
<script>
const say = (id, find) => {
  let found
  try { found = find() } catch (error) { found = 'refused' }
  document.getElementById(id).textContent = id + ': ' + found
}
say('referrer', () => document.referrer || 'none')
say('storage', () => parent.localStorage.getItem('credit_id'))
say('top', () => { top.location.href = '/leave'; return 'left' })
</script>
</body>
</html>`

export interface SupportWidget {
  /** For SUPPORT_WIDGET_URL. */
  url: string
  /** Addresses asked for, each with its Referer. */
  requests: { address: string; referrer: string | undefined; cookie: string | undefined }[]
  stop: () => Promise<void>
}

export async function startSupportWidget(): Promise<SupportWidget> {
  const requests: SupportWidget['requests'] = []
  const server = createServer((request, response) => {
    const { referer, cookie } = request.headers
    requests.push({ address: request.url ?? '', referrer: referer, cookie })
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE)
  })
  await new Promise<void>(resolve => server.listen(0, 'localhost', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The stand-in has no port.')
  return {
    // Another name than the site's, and so another site altogether.
    url: `http://localhost:${address.port}`,
    requests,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
