import { useTranslations } from 'next-intl'
import { type CSSProperties, useState } from 'react'
import { lazyPart } from '@/components/ui/lazy-part'
import type { PictureSize } from '@/lib/local/images/picture-size'
import type { ShownPicture } from './picture-viewer'
import styles from './stored-picture.module.css'

/** Loaded when a picture is first opened. */
const PictureViewer = lazyPart(async () => (await import('./picture-viewer')).PictureViewer)

/** Styles that reserve the space for a picture of this size. */
export function placeOf(size: PictureSize | null): CSSProperties | undefined {
  if (!size) return undefined
  const variables: Record<string, number> = {
    '--picture-width': size.width,
    '--picture-ratio': size.width / size.height,
  }
  return variables
}

interface ViewablePictureProps extends ShownPicture {
  size: PictureSize | null
}

/** A picture of a message. A tap opens it in the whole window, with the other pictures of the message beside it. */
export function ViewablePicture({ src, alt, size }: ViewablePictureProps) {
  const t = useTranslations('chat')
  const [shown, setShown] = useState<readonly ShownPicture[] | null>(null)
  return (
    <>
      <button
        type="button"
        className={styles.view}
        data-picture
        data-printed
        style={placeOf(size)}
        title={t('viewPicture')}
        onClick={event => {
          // Not every browser focuses a clicked button, and the viewer returns the focus to it.
          event.currentTarget.focus()
          setShown(picturesAround(event.currentTarget, { src, alt }))
        }}
      >
        <picture>
          <img className={styles.picture} src={src} alt={alt} width={size?.width} height={size?.height} />
        </picture>
      </button>
      {shown && <PictureViewer pictures={shown} firstSrc={src} onClose={() => setShown(null)} />}
    </>
  )
}

/** All pictures in the same message, in their order on the page. */
function picturesAround(button: Element, own: ShownPicture): readonly ShownPicture[] {
  const images = button.closest('article')?.querySelectorAll<HTMLImageElement>('[data-picture] img') ?? []
  const found = [...images].map(({ src, alt }) => ({ src, alt }))
  return found.some(({ src }) => src === own.src) ? found : [own]
}
