import type { ComponentProps } from 'react'

/** What a framed page may do: run scripts, submit forms, and open links. */
const GRANTS = 'allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox'

/**
 * A page of another origin may use the storage of that origin. If the origin were ours, the same grant would give it
 * our storage, with the credit in it, and the means to leave its frame.
 */
export function frameSandbox(address: string, pageOrigin: string): string {
  const isForeign = new URL(address).origin !== pageOrigin
  return isForeign ? `${GRANTS} allow-same-origin` : GRANTS
}

interface ForeignFrameProps
  extends Pick<ComponentProps<'iframe'>, 'ref' | 'className' | 'height' | 'hidden' | 'onLoad'> {
  address: string
  title: string
}

/**
 * A page that an operator has configured, in a frame of its own origin. It can access neither our page nor our storage,
 * and does not learn which page it is shown on. Only for the browser.
 */
export function ForeignFrame({ address, title, ...rest }: ForeignFrameProps) {
  return (
    <iframe
      {...rest}
      title={title}
      src={address}
      sandbox={frameSandbox(address, window.location.origin)}
      referrerPolicy="no-referrer"
      allow=""
    />
  )
}
