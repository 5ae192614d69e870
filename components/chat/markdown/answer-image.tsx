import { Image as Picture } from 'lucide'
import { useTranslations } from 'next-intl'
import { Icon } from '@/components/ui/icon'
import textStyles from '@/components/ui/text.module.css'
import { readPictureSize } from '@/lib/local/images/picture-size'
import { ViewablePicture } from '../viewable-picture'
import { isInlineImage, readRemoteImage } from './link-target'
import styles from './markdown.module.css'

interface AnswerImageProps {
  href: string
  alt: string
  /** A link cannot contain a link, so a picture inside one is shown as its alt text. */
  isInsideLink?: boolean
}

/**
 * A picture in an answer. Fetching it would tell its host that this conversation was read, and its address could carry
 * the conversation along. So the page never fetches it, and its policy forbids that as well. A click on the link, which
 * names the host, opens it in a tab that gets no referrer.
 */
export function AnswerImage({ href, alt, isInsideLink = false }: AnswerImageProps) {
  const t = useTranslations('chat')
  if (isInlineImage(href)) {
    if (!isInsideLink) return <ViewablePicture src={href} alt={alt} size={readPictureSize(href)} />
    return (
      <picture>
        <img className={styles.image} src={href} alt={alt} />
      </picture>
    )
  }
  const target = readRemoteImage(href)
  if (!target) return alt
  if (isInsideLink) return alt || target.place
  return (
    <span className={styles.placeholder} data-remote-picture={alt || target.place}>
      <Icon icon={Picture} size={18} />
      <span className={styles.placeholderText}>
        {alt && <span>{alt}</span>}
        <bdi className={textStyles.aside} dir="ltr">
          {target.place}
        </bdi>
      </span>
      <a
        href={target.href}
        // In a screen reader's list of links, it is one of several.
        aria-label={`${t('loadImage')}: ${[alt, target.place].filter(Boolean).join(', ')}`}
        target="_blank"
        rel="noopener noreferrer nofollow"
      >
        {t('loadImage')}
      </a>
    </span>
  )
}
