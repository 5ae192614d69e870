/** Where this deployment is reached, without a trailing slash: the operator's word, or this machine. */
export function siteAddress({ siteUrl, port }: { siteUrl: string | null; port: number }): string {
  return siteUrl ?? `http://localhost:${port}`
}
