/** A reload comes back to the invoice. Its id lets one pay it, never spend: it may stand in an address. */
export function showInvoiceInAddress(invoiceId: string | null): void {
  const address = new URL(window.location.href)
  if (invoiceId === null) address.searchParams.delete('invoice')
  else address.searchParams.set('invoice', invoiceId)
  window.history.replaceState(window.history.state, '', address)
}
