import { isShowable } from '@/lib/local/images/picture-size'

/** The target of a link in an answer. */
interface LinkTarget {
  readonly href: string
  /** Where it really leads: a host in ASCII form, which reveals look-alike letters, or an email address. */
  readonly place: string
}

const HREF_LENGTH_MAX = 2_048
/** No host and no email address is longer; and a short text can refer to one address thousands of times. */
const PLACE_LENGTH_MAX = 254
const WEB_PROTOCOLS = new Set(['https:', 'http:'])
const INLINE_IMAGE = /^data:image\/(?:png|jpeg|webp|gif);base64,[A-Za-z0-9+/=\s]+$/

/** Null for everything but absolute http, https and mailto addresses, which are shown as text. */
export function readLinkTarget(href: string): LinkTarget | null {
  const url = parseUrl(href)
  if (!url) return null
  const isMail = url.protocol === 'mailto:'
  const place = isMail ? url.pathname : url.host
  if (place.length > PLACE_LENGTH_MAX) return null
  return isMail || WEB_PROTOCOLS.has(url.protocol) ? { href: url.href, place } : null
}

/** Null unless it is on the web. It is fetched only after a click. */
export function readRemoteImage(href: string): LinkTarget | null {
  const target = readLinkTarget(href)
  return target?.href.startsWith('mailto:') ? null : target
}

/** Pictures as data URLs, which contact nobody. SVG is excluded, since it can contain scripts. */
export function isInlineImage(href: string): boolean {
  return INLINE_IMAGE.test(href) && isShowable(href)
}

/** Whether a link's text already says where it leads, so that the host need not be shown. */
export function namesPlace(text: string, target: LinkTarget): boolean {
  const shown = withoutScheme(text.trim())
  return shown === withoutScheme(target.href) || shown.toLowerCase() === target.place
}

function withoutScheme(address: string): string {
  return address.replace(/^(?:https?:\/\/|mailto:)/i, '').replace(/\/$/, '')
}

function parseUrl(href: string): URL | null {
  if (href.length > HREF_LENGTH_MAX) return null
  try {
    const url = new URL(href)
    // `https://bank.example@evil.example` shows the wrong name first; nobody writes it in good faith.
    return url.username === '' && url.password === '' ? url : null
  } catch {
    return null
  }
}
