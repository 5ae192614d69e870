import { notFound } from 'next/navigation'
import { locale as rootLocale } from 'next/root-params'
import { hasLocale } from 'next-intl'
import { routing } from '@/lib/i18n/routing'
import { SiteDocument, siteMetadata, siteViewport } from '../document'

export const generateMetadata = siteMetadata
export const viewport = siteViewport

export default async function RootLayout({ children }: LayoutProps<'/[locale]'>) {
  if (!hasLocale(routing.locales, await rootLocale())) notFound()
  return <SiteDocument>{children}</SiteDocument>
}
