import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { PageFrame } from '@/components/shell/page-frame'
import { LinkButton } from '@/components/ui/link-button'
import { serverSettings } from '@/lib/config/server-settings'
import { Link } from '@/lib/i18n/navigation'
import { SiteDocument, siteMetadata, siteViewport } from './document'

export const viewport = siteViewport

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('shell')
  const { appName } = serverSettings()
  return { ...(await siteMetadata()), title: `${t('notFoundTitle')} · ${appName}` }
}

/**
 * The page for unknown addresses, in the language of the path. It is a document of its own, since `notFound()` replaces
 * a page through scripts only.
 */
export default async function NotFoundPage() {
  const t = await getTranslations('shell')
  return (
    <SiteDocument>
      <PageFrame title={t('notFoundTitle')} lead={t('notFoundText')}>
        <LinkButton component={Link} href="/">
          {t('toChat')}
        </LinkButton>
      </PageFrame>
    </SiteDocument>
  )
}
