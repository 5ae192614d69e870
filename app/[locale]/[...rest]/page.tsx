import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { getTranslations } from 'next-intl/server'

/** Here, because what is shown in place of a page has no say in its title. */
export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('shell')
  return { title: t('notFoundTitle') }
}

/** Any other path: the "not found" page in the language of the path, with its policy and its status. */
export default function UnknownPage() {
  notFound()
}
