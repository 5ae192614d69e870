import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { Refill } from '@/components/refill/refill'
import { ClientMessages } from '@/components/shell/client-messages'
import { NeedsScript } from '@/components/shell/needs-script'
import { PageFrame } from '@/components/shell/page-frame'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('refill')
  return { title: t('pageTitle'), robots: { index: false } }
}

export default async function RefillPage() {
  const t = await getTranslations('refill')
  return (
    <ClientMessages namespaces={['topUp', 'refill']}>
      <NeedsScript />
      <PageFrame title={t('pageTitle')} lead={t('pageLead')}>
        <Refill />
      </PageFrame>
    </ClientMessages>
  )
}
