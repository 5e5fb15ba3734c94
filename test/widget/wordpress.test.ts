import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { snippetModes, snippetThemes, wordpressSnippet } from '../../src/pages/snippet.ts'
import { blocksOf, documentAt, project } from '../docs/documents.ts'

/*
 * The plugin for WordPress by the contract of its hooks: PHP runs it with stand-ins for the functions of WordPress that
 * it calls. Their escaping is that of WordPress for the values here.
 */

const plugin = join(project, 'embed/wordpress')
const hasPhp = spawnSync('php', ['--version']).status === 0
if (!hasPhp) console.warn('\n*** SKIPPED: there is no php here, so the plugin for WordPress is not run.\n')

const wordpress = String.raw`
const ABSPATH = '/';
$scripts = array(); $shortcodes = array();
function add_action($hook, $call) { if ($hook === 'init') $GLOBALS['init'] = $call; }
function add_shortcode($name, $call) { $GLOBALS['shortcodes'][$name] = $call; }
function wp_register_script() {}
function plugins_url($file) { return $file; }
function register_block_type($folder, $given) { $GLOBALS['block'] = $given['render_callback']; }
function get_option() { return 'https://book.example.com'; }
function shortcode_atts($known, $given) { return array_merge($known, array_intersect_key($given, $known)); }
function current_user_can() { return $GLOBALS['argv'][2] === 'editor'; }
function __($text) { return $text; }
function esc_html($text) { return htmlspecialchars($text, ENT_QUOTES); }
function esc_html__($text) { return esc_html($text); }
function esc_attr($text) { return htmlspecialchars($text, ENT_QUOTES); }
function esc_url($url) { return htmlspecialchars($url, ENT_QUOTES); }
function wp_strip_all_tags($text) { return strip_tags($text); }
function untrailingslashit($text) { return rtrim($text, '/'); }
function add_query_arg($query, $url) {
  foreach ($query as $name => $value) $url .= (strpos($url, '?') ? '&' : '?') . "$name=$value";
  return $url;
}
function wp_enqueue_script($name, $url) { $GLOBALS['scripts'][] = $url; }
`

/** Returns the HTML and scripts of the plugin. */
function render(
  how: 'shortcode' | 'block',
  attributes: Record<string, string>,
  content = '',
  reader = 'visitor',
): { html: string; scripts: string[] } {
  const program = `${wordpress}
    require '${plugin}/holdfast.php';
    $GLOBALS['init']();
    [$how, $given, $content] = json_decode($argv[1], true);
    $html = $how === 'block' ? $block($given) : $shortcodes['holdfast']($given, $content);
    echo json_encode(array('html' => $html, 'scripts' => $scripts));`
  const given = JSON.stringify([how, attributes, content])
  const args = ['-d', 'error_reporting=-1', '-d', 'display_errors=stderr', '-r', program, '--', given, reader]
  const { stdout, stderr, status } = spawnSync('php', args, { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return JSON.parse(stdout) as { html: string; scripts: string[] }
}

const key = 'cal_pub_x'
const page = `https://book.example.com/book/${key}`

test.runIf(hasPhp).each([
  [
    'inline',
    { accent: '#6b21a8', 'service-id': 'a b' },
    `<holdfast-booking publishable-key="${key}" service-id="a b" accent="#6b21a8" style="display: block; min-height: 800px"><a href="${page}?service=a%20b">Book</a></holdfast-booking>`,
    ['https://book.example.com/widget/v1.js'],
  ],
  [
    'popup',
    { locale: 'de', 'success-url': '/thanks' },
    `<a href="${page}" data-publishable-key="${key}" data-locale="de" data-success-url="/thanks" data-holdfast-open="${key}">Book</a>`,
    ['https://book.example.com/widget/v1.js'],
  ],
  [
    'floating',
    { theme: 'dark' },
    `<holdfast-button publishable-key="${key}" theme="dark"><a href="${page}">Book</a></holdfast-button>`,
    ['https://book.example.com/widget/holdfast.js'],
  ],
  [
    'frame',
    { theme: 'dark', accent: '#6b21a8' },
    `<iframe src="${page}?theme=dark&amp;accent=%236b21a8" title="Book" style="width: 100%; height: 800px; border: 0"></iframe>`,
    [],
  ],
] as const)('the shortcode shows the widget: %s', (mode, attributes, html, scripts) => {
  expect(render('shortcode', { 'publishable-key': key, mode, ...attributes }, 'Book')).toEqual({
    html,
    scripts,
  })
})

test.runIf(hasPhp)('the block is the shortcode in camel case', () => {
  const { html } = render('block', {
    publishableKey: key,
    mode: 'floating',
    serviceId: '1',
    text: 'Now',
    locale: '',
  })
  expect(html).toBe(
    `<holdfast-button publishable-key="${key}" service-id="1"><a href="${page}?service=1">Now</a></holdfast-button>`,
  )
})

test.runIf(hasPhp)('no value of an author becomes markup, or names another server', () => {
  const evil = '"><script>alert(1)</script>'
  const { html, scripts } = render(
    'shortcode',
    {
      'publishable-key': key,
      mode: 'popup',
      server: 'https://evil.example',
      locale: evil,
      onclick: 'x',
      'service-id': evil,
    },
    evil,
  )
  expect(html).not.toMatch(/<script|onclick|evil/)
  expect(scripts).toEqual(['https://book.example.com/widget/v1.js'])
  for (const wrong of ['', 'cal_biz_x', `cal_pub_${evil}`])
    expect(render('shortcode', { 'publishable-key': wrong })).toEqual({ html: '', scripts: [] })
  expect(render('shortcode', {}, '', 'editor').html).toContain('publishable-key')
})

test('the block and the pages of Holdfast know the same forms and themes, and the version is that of the server', () => {
  const { attributes } = JSON.parse(readFileSync(join(plugin, 'block.json'), 'utf8')) as {
    attributes: Record<string, { enum?: string[] }>
  }
  expect(attributes['mode']?.enum).toEqual(snippetModes)
  expect(attributes['theme']?.enum).toEqual(['', ...snippetThemes])
  const code = readFileSync(join(plugin, 'holdfast.php'), 'utf8')
  expect(/^ \* Version: (.*)$/m.exec(code)?.[1]).toBe(packageJson.version)
  const [shown] = blocksOf(documentAt('embed/wordpress/README.md'))
  const wish = { server: '', business: { name: '', brand_name: null, locale: 'en' }, accent: '#6b21a8' }
  expect(shown?.text).toBe(wordpressSnippet({ ...wish, publishableKey: 'cal_pub_…', mode: 'floating' }))
})
