/** What the browser needs to know to sign in; given by the server with the page, never built in. */
export interface PublicAuthSettings {
  url: string
  publicKey: string
  /** The name of the session cookie, the same on both sides. */
  cookieName: string
  /** Google's sign-in may open in the browser's own dialog. */
  googleClientId?: string
  /** A page of another origin that shows a captcha. */
  captchaFrameUrl?: string
  /** By provider, what its page is asked for beyond the usual: `scopes`, and parameters of its own. */
  providerParameters?: Record<string, Record<string, string>>
}

/** For the library, which has `scopes` apart from the others. */
export function providerOptions(settings: PublicAuthSettings, provider: string) {
  const { scopes, ...queryParams } = settings.providerParameters?.[provider] ?? {}
  return { scopes, queryParams }
}
