import type { ComponentProps } from 'react'

/** What a page in a frame needs: to run, to send its form, and to open what it links to. */
const GRANTS = 'allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox'

/**
 * The page may keep what it likes in the storage of its own origin. If that origin were ours, the same
 * grant would hand it our storage, with the credit in it, and the means to leave its frame.
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
 * A page that an operator's setting names, in a frame of its own origin: it sees neither our page nor the
 * browser's data of ours, and is not told which page it is shown on. In the browser only.
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
