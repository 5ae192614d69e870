import { getTranslations } from 'next-intl/server'
import { LazySupportButton } from './lazy-support-button'
import { widgetAddress } from './widget-address'

/** The operator's settings. */
interface SupportWidget {
  SUPPORT_WIDGET_URL: string
  SUPPORT_WIDGET_TOKEN: string
}

interface SupportProps {
  widget: SupportWidget
  appName: string
}

/** The button for getting help from a person. */
export async function Support({ widget, appName }: SupportProps) {
  const t = await getTranslations('support')
  return (
    <LazySupportButton
      address={widgetAddress(widget.SUPPORT_WIDGET_URL, widget.SUPPORT_WIDGET_TOKEN)}
      label={t('open')}
      title={t('title', { appName })}
      frameTitle={t('frameTitle')}
      note={t('note', { host: new URL(widget.SUPPORT_WIDGET_URL).host })}
    />
  )
}
