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
