/** The address of this deployment, without a trailing slash: the operator's setting, or this machine. */
export function siteAddress({ siteUrl, port }: { siteUrl: string | null; port: number }): string {
  return siteUrl ?? `http://localhost:${port}`
}
