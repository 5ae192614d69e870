/** The page of Chatwoot's widget, which its script would load in a frame as well. */
const WIDGET_PATH = '/widget'

/** `<url>/widget?website_token=<token>`, whether or not the operator's URL includes that path. */
export function widgetAddress(url: string, websiteToken: string): string {
  const address = new URL(url)
  const path = address.pathname.replace(/\/+$/, '')
  address.pathname = path.endsWith(WIDGET_PATH) ? path : `${path}${WIDGET_PATH}`
  address.search = new URLSearchParams({ website_token: websiteToken }).toString()
  return address.href
}
