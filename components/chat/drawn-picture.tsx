import { Download } from 'lucide'
import { useTranslations } from 'next-intl'
import { Button } from '@/components/ui/button'
import { Icon } from '@/components/ui/icon'
import { noticeStore } from '@/lib/local/notice/notice-store'
import styles from './drawn-picture.module.css'
import { savePicture } from './save-picture'
import { StoredPicture } from './stored-picture'

/** A picture that a model drew, and the way to keep it outside of this browser. */
export function DrawnPicture({ url }: { url: string }) {
  const t = useTranslations('chat')
  const save = async () => {
    if (!(await savePicture(url))) noticeStore.show('error', t('pictureGone'))
  }
  // One that is only on the web is its host's; the browser's own menu saves it.
  const isHere = !/^https?:/i.test(url)
  return (
    <div className={styles.drawn}>
      <StoredPicture url={url} alt={t('drawnPicture')} />
      {isHere && (
        <Button variant="quiet" size="small" onClick={() => void save()}>
          <Icon icon={Download} size={16} />
          {t('savePicture')}
        </Button>
      )}
    </div>
  )
}
