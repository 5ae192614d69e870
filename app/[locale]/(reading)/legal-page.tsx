import type { Metadata } from 'next'
import { getLocale, getTranslations } from 'next-intl/server'
import { OperatorText } from '@/components/legal/operator-text'
import { ClientMessages } from '@/components/shell/client-messages'
import { PageFrame } from '@/components/shell/page-frame'
import { VisuallyHidden } from '@/components/ui/visually-hidden'
import { serverSettings } from '@/lib/config/server-settings'
import { alternates } from '@/lib/i18n/alternates'

interface LegalPageProps {
  kind: 'terms' | 'privacy'
}

export async function legalMetadata(kind: LegalPageProps['kind']): Promise<Metadata> {
  const [locale, t] = await Promise.all([getLocale(), getTranslations('legal')])
  return {
    title: t(kind),
    description: t(`${kind}Description`, { appName: serverSettings().appName }),
    alternates: alternates(locale, `/${kind}`),
  }
}

/**
 * The operator's own text. Without one, says what the software does, and that the operator has published nothing more.
 */
export async function LegalPage({ kind }: LegalPageProps) {
  const [locale, t] = await Promise.all([getLocale(), getTranslations('legal')])
  const { appName, operatorName, operatorTexts } = serverSettings()
  const own = operatorTexts[kind]?.[locale]
  const standard = kind === 'terms' ? standardTerms(t) : standardPrivacy(t)
  return (
    <PageFrame title={t(kind)} lead={operatorName ? t('operator', { operator: operatorName }) : undefined}>
      <VisuallyHidden as="h2">{operatorName ?? appName}</VisuallyHidden>
      <ClientMessages namespaces={['chat']}>
        <OperatorText text={own ?? [t('standard'), ...standard].join('\n\n')} />
      </ClientMessages>
    </PageFrame>
  )
}

type Translate = Awaited<ReturnType<typeof getTranslations<'legal'>>>

function standardTerms(t: Translate): string[] {
  return [t('termsText.what'), t('termsText.price'), t('termsText.key'), t('termsText.answers')]
}

/** Mentions optional services only if the operator has configured them. */
function standardPrivacy(t: Translate): string[] {
  const { supabase, sentryDsn, analytics, analyticsFrameUrl, supportWidget, onVercel } = serverSettings()
  const hostOf = (address: string) => ({ host: new URL(address).host })
  return [
    t('privacyText.credit'),
    t('privacyText.words'),
    t('privacyText.address'),
    t('privacyText.payment'),
    t('privacyText.browser'),
    ...(supabase ? [t('privacyText.signIn', hostOf(supabase.url))] : []),
    ...(sentryDsn ? [t('privacyText.errors', hostOf(sentryDsn))] : []),
    ...(analytics || analyticsFrameUrl || onVercel ? [t('privacyText.visits')] : []),
    ...(supportWidget ? [t('privacyText.help', hostOf(supportWidget.SUPPORT_WIDGET_URL))] : []),
  ]
}
