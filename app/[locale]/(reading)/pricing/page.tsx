import type { Metadata } from 'next'
import { getLocale, getTranslations } from 'next-intl/server'
import { priceJsonLd } from '@/components/pricing/json-ld'
import { Pricing } from '@/components/pricing/pricing'
import { readPricingQuery } from '@/components/pricing/pricing-query'
import { firstOfEachKind } from '@/components/pricing/select-rows'
import { PageFrame } from '@/components/shell/page-frame'
import { services } from '@/lib/composition'
import { alternates } from '@/lib/i18n/alternates'
import { getPathname } from '@/lib/i18n/locale-path'
import { siteAddress } from '@/lib/i18n/site-address'

const HREF = '/pricing'

export async function generateMetadata(): Promise<Metadata> {
  const [{ settings }, locale, t] = await Promise.all([services(), getLocale(), getTranslations('pricing')])
  return {
    title: t('title'),
    description: t('description', { appName: settings.appName }),
    alternates: alternates(locale, HREF),
  }
}

export default async function PricingPage({ searchParams }: PageProps<'/[locale]/pricing'>) {
  const { catalogue, settings } = await services()
  const [models, query, locale, t] = await Promise.all([
    catalogue.listModels(),
    searchParams.then(readPricingQuery),
    getLocale(),
    getTranslations('pricing'),
  ])
  const path = getPathname({ locale, href: HREF })
  return (
    <PageFrame title={t('title')} lead={t('lead')} width="wide">
      <Pricing action={path} models={models} query={query} />
      {/* It is data, so the script policy does not apply. */}
      <script type="application/ld+json">
        {priceJsonLd({
          appName: settings.appName,
          url: `${siteAddress(settings)}${path}`,
          models: query.isComplete ? models : firstOfEachKind(models),
        })}
      </script>
    </PageFrame>
  )
}
