import { createServer } from 'node:http'
import { listen } from '../support/listen'

export interface FramePage {
  /** With another name than the site's, so that it is a different site to the browser. */
  url: string
  /** Requested addresses, each with its Referer. */
  requests: { address: string; referrer: string | undefined; cookie: string | undefined }[]
  stop: () => Promise<void>
}

/** Another site's page, for a frame. */
export async function startFramePage(html: string): Promise<FramePage> {
  const requests: FramePage['requests'] = []
  const server = createServer((request, response) => {
    const { referer, cookie } = request.headers
    requests.push({ address: request.url ?? '', referrer: referer, cookie })
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html)
  })
  const { port, stop } = await listen(server, { host: 'localhost' })
  return { url: `http://localhost:${port}`, requests, stop }
}

/** Shows what the support chat's page can find out about the page around it, for a test to read. */
export const SUPPORT_PAGE = `<!doctype html>
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

/** A captcha with the tokens person-1, person-2, …; it shows when one was used. */
export const CAPTCHA_PAGE = `<!doctype html>
<html lang="en">
<head><title>Captcha</title></head>
<body>
<div>
<h1>A check</h1>
<button>I am a person</button>
<p role="status"></p>
</div>
<script>
let count = 0
const status = document.querySelector('p')
const tell = data => parent.postMessage({ type: 'captcha', ...data }, '*')
document.querySelector('button').onclick = () => {
  count += 1
  status.textContent = 'Checked.'
  tell({ token: 'person-' + count })
}
addEventListener('message', ({ data }) => {
  if (data.type === 'captcha_reset') status.textContent = 'Used.'
})
tell({ height: 160 })
</script>
</body>
</html>`

/** A page with an analytics tag, which shows the pages that were reported to it. */
export const ANALYTICS_PAGE = `<!doctype html>
<html lang="en">
<head><title>Count</title></head>
<body>
<ol></ol>
<script>
addEventListener('message', ({ data }) => {
  const item = document.createElement('li')
  item.textContent = data.type + ' ' + data.page
  document.querySelector('ol').append(item)
})
</script>
</body>
</html>`
