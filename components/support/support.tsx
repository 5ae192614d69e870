import { getTranslations } from 'next-intl/server'
import { serverSettings } from '@/lib/config/server'
import { LazySupportButton } from './lazy-support-button'
import { widgetAddress } from './widget-address'

/** The way to a person who helps; nothing where the operator has set up no support widget. */
export async function Support() {
  const { supportWidget, appName } = serverSettings()
  if (!supportWidget) return null
  const t = await getTranslations('support')
  return (
    <LazySupportButton
      address={widgetAddress(supportWidget.SUPPORT_WIDGET_URL, supportWidget.SUPPORT_WIDGET_TOKEN)}
      label={t('open')}
      title={t('title', { appName })}
      frameTitle={t('frameTitle')}
      note={t('note', { host: new URL(supportWidget.SUPPORT_WIDGET_URL).host })}
    />
  )
}
