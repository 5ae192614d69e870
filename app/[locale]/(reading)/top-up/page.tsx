import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { returnPath } from '@/components/credit/top-up/return-path'
import { TopUp } from '@/components/credit/top-up/top-up'
import { ClientMessages } from '@/components/shell/client-messages'
import { NeedsScript } from '@/components/shell/needs-script'
import { PageFrame } from '@/components/shell/page-frame'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('topUp')
  return { title: t('title'), description: t('lead'), robots: { index: false } }
}

export default async function TopUpPage({ searchParams }: PageProps<'/[locale]/top-up'>) {
  const t = await getTranslations('topUp')
  const { return: wantedReturn } = await searchParams
  return (
    <ClientMessages namespaces={['topUp', 'carry']}>
      <NeedsScript />
      <PageFrame title={t('title')} lead={t('lead')}>
        <TopUp returnHref={returnPath(wantedReturn)} />
      </PageFrame>
    </ClientMessages>
  )
}
