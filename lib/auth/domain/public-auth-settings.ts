/** What the browser needs to know to sign in; sent by the server with the page, never part of the build. */
export interface PublicAuthSettings {
  url: string
  publicKey: string
  /** The name of the session cookie, the same on both sides. */
  cookieName: string
  /** Set if Google's sign-in may open in the browser's own dialog. */
  googleClientId?: string
  /** A page of another origin that shows a captcha. */
  captchaFrameUrl?: string
  /** By provider, what its page is asked for in addition: `scopes`, and parameters of its own. */
  providerParameters?: Record<string, Record<string, string>>
}

/** In the library's form, which has `scopes` separate from the other parameters. */
export function providerOptions(settings: PublicAuthSettings, provider: string) {
  const { scopes, ...queryParams } = settings.providerParameters?.[provider] ?? {}
  return { scopes, queryParams }
}
