/** What the browser needs to know to sign in; given by the server with the page, never built in. */
export interface PublicAuthSettings {
  url: string
  publicKey: string
  /** The name of the session cookie, the same on both sides. */
  cookieName: string
  /** Google's sign-in may open in the browser's own dialog. */
  googleClientId?: string
}
