/** Names of clients by language, in an order that tests every letter with its own position. */
export const namesByLanguage: Record<string, readonly string[]> = {
  en: ['Ann Lee', 'Anna Bell', 'Ann-Marie', 'Anne', "O'Neil", 'Ólaf', 'Zoe'],
  de: ['Zoe', 'Ärla', 'Amsel', 'Özil', 'Otto', 'Strauß', 'Strasser', 'Müller', 'Mueller'],
  fr: ['Élodie', 'Emile', 'Eva', 'Çelik', 'Cz', 'Œuvre', 'Odile', 'Of'],
  it: ['Zoe', 'Àlex', 'Alba', 'Nicolò', 'Nicola'],
  nl: ['IJsbrand', 'Iik', 'Jan', 'Zoë', 'Zoa'],
  pt: ['Ângela', 'Ana', 'Çelia', 'Cz', 'João', 'Joana'],
  es: ['Ñusta', 'Nora', 'Nz', 'Olga', 'Nuñez', 'Nunes', 'Nuz', 'Ángel', 'Andres', 'Chus', 'Cz'],
  pl: [
    ...['Łukasz', 'Lz', 'Marta', 'Ścibor', 'Sz', 'Tadek', 'Żaneta', 'Źrebak', 'Zz', 'Ólek', 'Oz', 'Pola'],
    ...['Ąbc', 'Az', 'Ćwik', 'Czesław', 'Ęcki', 'Ez', 'Ńa', 'Nz'],
  ],
  tr: [
    ...['İpek', 'Işıl', 'Irmak', 'Hz', 'Jale', 'Çağla', 'Cem', 'Deniz', 'Ömer', 'Orhan', 'Oz', 'Şule', 'Sz'],
    ...['Ümit', 'Uz', 'Ğa', 'Gz'],
  ],
  ar: ['هدى', 'أحمد', 'إبراهيم', 'بدر', 'آدم', 'تامر', 'فاطمة', 'ليلى', 'يوسف', 'وليد', 'مُحمد', 'مؤمن'],
  ja: ['ガンダム', 'あおき', 'かんた', 'さとう', 'きむら', 'しょうじ', 'ユウキ', 'ゆい', 'はなこ', 'パン'],
  sv: ['Åsa', 'Zara', 'Ärla', 'Östen', 'Ola', 'Anna'],
  da: ['Åse', 'Østen', 'Ærø', 'Zoe', 'Bo'],
}
