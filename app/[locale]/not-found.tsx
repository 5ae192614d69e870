import { getTranslations } from 'next-intl/server'
import { PageFrame } from '@/components/shell/page-frame'
import { LinkButton } from '@/components/ui/link-button'
import { Link } from '@/lib/i18n/navigation'

export default async function NotFoundPage() {
  const t = await getTranslations('shell')
  return (
    <PageFrame title={t('notFoundTitle')} lead={t('notFoundText')}>
      <LinkButton component={Link} href="/">
        {t('toChat')}
      </LinkButton>
    </PageFrame>
  )
}
