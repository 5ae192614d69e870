/** A browser's own Lightning wallet, as extensions offer it (WebLN): `window.webln`. */
export interface WebLightning {
  enable(): Promise<unknown>
  sendPayment(lightningInvoice: string): Promise<unknown>
}

/** Null where the browser has none. It comes from an extension, so its shape is looked at, not believed. */
export function findWebLightning(browser: object): WebLightning | null {
  if (!('webln' in browser)) return null
  const { webln } = browser
  return isWebLightning(webln) ? webln : null
}

/** False when the wallet refused or failed; whether money came is for the gateway to say. */
export async function payWithWebLightning(wallet: WebLightning, lightningInvoice: string): Promise<boolean> {
  try {
    await wallet.enable()
    await wallet.sendPayment(lightningInvoice)
    return true
  } catch {
    return false
  }
}

function isWebLightning(value: unknown): value is WebLightning {
  return (
    typeof value === 'object' &&
    value !== null &&
    'enable' in value &&
    typeof value.enable === 'function' &&
    'sendPayment' in value &&
    typeof value.sendPayment === 'function'
  )
}
