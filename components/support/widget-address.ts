/** Chatwoot's own page for its widget, which its script would put into a frame as well. */
const WIDGET_PATH = '/widget'

/** `<url>/widget?website_token=<token>`, for an operator who gave that path and for one who did not. */
export function widgetAddress(url: string, websiteToken: string): string {
  const address = new URL(url)
  const path = address.pathname.replace(/\/+$/, '')
  address.pathname = path.endsWith(WIDGET_PATH) ? path : `${path}${WIDGET_PATH}`
  address.search = new URLSearchParams({ website_token: websiteToken }).toString()
  return address.href
}
