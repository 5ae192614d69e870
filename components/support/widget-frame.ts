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

/** What a support chat needs: to run, to send its form, and to open what it links to. */
const GRANTS = 'allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox'

/**
 * The widget may keep its conversation in the storage of its own origin. If that origin were ours, the
 * same grant would hand it our storage, with the credit in it, and the means to leave its frame.
 */
export function frameSandbox(widgetAddress: string, pageOrigin: string): string {
  const isForeign = new URL(widgetAddress).origin !== pageOrigin
  return isForeign ? `${GRANTS} allow-same-origin` : GRANTS
}
