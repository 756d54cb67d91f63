export const PRIVATE_TRACES = /Knez Mihailova|44\.8125|ana\.kovacevic|docname|Adobe Illustrator|xpacket|C:\\\\/;

const INKSCAPE = `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!-- Created with Inkscape (http://www.inkscape.org/) by ana.kovacevic -->
<svg width="60mm" height="40mm" viewBox="0 0 60 40" version="1.1" id="svg5" inkscape:version="1.2.2 (b0a84865, 2022-12-01)"
   sodipodi:docname="/home/ana.kovacevic/logo.svg" inkscape:export-filename="C:\\\\ana\\\\logo.png" inkscape:export-xdpi="96"
   xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd"
   xmlns:xlink="http://www.w3.org/1999/xlink" xmlns="http://www.w3.org/2000/svg" xmlns:svg="http://www.w3.org/2000/svg"
   xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:cc="http://creativecommons.org/ns#" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <sodipodi:namedview id="namedview7" pagecolor="#ffffff" bordercolor="#666666" inkscape:zoom="2.1" inkscape:window-width="1920"/>
  <defs id="defs2">
    <linearGradient inkscape:collect="always" id="linearGradient851"><stop style="stop-color:#ff7f2a;stop-opacity:1" offset="0" id="stop847"/>
      <stop style="stop-color:#5500d4;stop-opacity:0.5" offset="1" id="stop849"/></linearGradient>
    <linearGradient inkscape:collect="always" xlink:href="#linearGradient851" id="linearGradient853" x1="5" y1="5" x2="30" y2="30" gradientUnits="userSpaceOnUse" gradientTransform="translate(1.5, 2) rotate (10)"/>
    <filter style="color-interpolation-filters:sRGB" inkscape:label="Blur" id="filter1" x="-0.2" y="-0.2" width="1.4" height="1.4"><feGaussianBlur stdDeviation="0.8" id="fe1"/></filter>
    <marker id="Arrow1" refX="0" refY="0" orient="auto" style="overflow:visible" inkscape:isstock="true"><path d="M0 0 5 -5 -12.5 0 5 5z" style="fill:#000;fill-rule:evenodd" transform="scale(-0.2)"/></marker>
    <clipPath clipPathUnits="userSpaceOnUse" id="clip9"><circle cx="45" cy="12" r="8"/></clipPath>
    <inkscape:path-effect effect="spiro" id="path-effect1"/>
  </defs>
  <metadata id="metadata5"><rdf:RDF><cc:Work rdf:about=""><dc:format>image/svg+xml</dc:format><dc:coverage>Knez Mihailova 1, 44.8125N</dc:coverage></cc:Work></rdf:RDF></metadata>
  <g inkscape:label="Layer 1" inkscape:groupmode="layer" id="layer1">
    <rect style="fill:url(#linearGradient853);fill-opacity:1;stroke:#000000;stroke-width:0.5;stroke-linejoin:round;-inkscape-stroke:none" id="rect31" width="25" height="25" x="5" y="5" ry="3" inkscape:transform-center-x="1"/>
    <path style="fill:none;stroke:#008000;stroke-width:1px;marker-end:url(#Arrow1);stroke-dasharray:2, 1" d="m 35,30 c 5,-10 10,5 18,-3" id="path1" inkscape:connector-curvature="0" sodipodi:nodetypes="cc"/>
    <g clip-path="url(#clip9)" id="g1"><ellipse cx="45" cy="15" rx="12" ry="6" style="fill:#d40000;filter:url(#filter1)" id="e1"/></g>
    <text xml:space="preserve" style="font-style:normal;font-size:5px;line-height:1.25;font-family:sans-serif;-inkscape-font-specification:'sans-serif, Normal';white-space:pre;fill:#000080" x="8" y="37" id="text1"><tspan sodipodi:role="line" id="tspan1" x="8" y="37">Čaj &amp; kafa</tspan></text>
    <use x="0" y="0" xlink:href="#rect31" id="use1" transform="matrix(0.3,0,0,0.3,40,25)" width="100%" height="100%"/>
  </g>
</svg>`;

const ILLUSTRATOR = `<?xml version="1.0" encoding="utf-8"?>
<!-- Generator: Adobe Illustrator 27.0.0, SVG Export Plug-In . SVG Version: 6.00 Build 0)  -->
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg version="1.1" id="Layer_1" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" x="0px" y="0px"
	 viewBox="0 0 120 80" style="enable-background:new 0 0 120 80;" xml:space="preserve" xmlns:i="http://ns.adobe.com/AdobeIllustrator/10.0/" i:viewOrigin="1 2">
<style type="text/css">
	.st0{fill:#E6332A;}
	.st1{fill:url(#SVGID_1_);stroke:#1D1D1B;stroke-width:2;stroke-miterlimit:10;}
	.st2{clip-path:url(#SVGID_2_);fill:#36A9E1;}
	.st3{font-family:'MyriadPro-Regular', sans-serif;} /* the text */
	.st4{font-size:12px;}
	.st5{opacity:0.5;mask:url(#mask-2_1_);enable-background:new    ;}
</style>
<metadata><?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><place>Knez Mihailova</place></x:xmpmeta><?xpacket end="w"?></metadata>
<switch>
	<foreignObject requiredExtensions="http://ns.adobe.com/AdobeIllustrator/10.0/" x="0" y="0" width="1" height="1"><i:aipgfRef xlink:href="#adobe_illustrator_pgf"/></foreignObject>
	<g i:extraneous="self">
		<polygon class="st0" points="10,10 50,10 30,45 "/>
		<linearGradient id="SVGID_1_" gradientUnits="userSpaceOnUse" x1="60" y1="40" x2="110" y2="40"><stop  offset="0" style="stop-color:#FFFFFF"/><stop  offset="1" style="stop-color:#009640"/></linearGradient>
		<path class="st1" d="M60,20h50v40H60V20z M75,30v20h20V30H75z"/>
		<g><defs><rect id="SVGID_3_" x="5" y="50" width="40" height="20"/></defs><clipPath id="SVGID_2_"><use xlink:href="#SVGID_3_"  style="overflow:visible;"/></clipPath><circle class="st2" cx="25" cy="60" r="18"/></g>
		<mask id="mask-2_1_" x="50" y="60" width="60" height="20"><rect x="50" y="60" width="30" height="20" fill="white"/></mask>
		<rect class="st5" x="50" y="62" width="60" height="16"/>
		<text transform="matrix(1 0 0 1 64 74)" class="st3 st4">Logo</text>
	</g>
</switch>
</svg>`;

const FIGMA = `<svg width="96" height="64" viewBox="0 0 96 64" fill="none" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
<g clip-path="url(#clip0_12_345)">
<rect width="96" height="64" rx="8" fill="#F5F3FF"/>
<g filter="url(#filter0_d_12_345)"><path fill-rule="evenodd" clip-rule="evenodd" d="M16 16H48V40H16V16ZM20 20V36H44V20H20Z" fill="url(#paint0_linear_12_345)"/></g>
<mask id="mask0_12_345" style="mask-type:alpha" maskUnits="userSpaceOnUse" x="52" y="12" width="32" height="32"><circle cx="68" cy="28" r="16" fill="#D9D9D9"/></mask>
<g mask="url(#mask0_12_345)"><rect x="52" y="12" width="20" height="40" fill="#7C3AED" fill-opacity="0.7" style="mix-blend-mode:multiply"/></g>
<rect x="8" y="48" width="12" height="12" fill="url(#pattern0)"/>
<path d="M30 54L60 58" stroke="black" stroke-opacity="0.5" stroke-width="2" stroke-linecap="round" data-figma="x"/>
</g>
<defs>
<filter id="filter0_d_12_345" x="12" y="16" width="40" height="32" filterUnits="userSpaceOnUse" color-interpolation-filters="sRGB"><feFlood flood-opacity="0" result="BackgroundImageFix"/><feColorMatrix in="SourceAlpha" type="matrix" values="0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 127 0" result="hardAlpha"/><feOffset dy="4"/><feGaussianBlur stdDeviation="2"/><feComposite in2="hardAlpha" operator="out"/><feColorMatrix type="matrix" values="0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0.25 0"/><feBlend mode="normal" in2="BackgroundImageFix" result="effect1"/><feBlend mode="normal" in="SourceGraphic" in2="effect1" result="shape"/></filter>
<pattern id="pattern0" patternContentUnits="objectBoundingBox" width="1" height="1"><use xlink:href="#image0" transform="scale(0.5)"/></pattern>
<linearGradient id="paint0_linear_12_345" x1="32" y1="16" x2="32" y2="40" gradientUnits="userSpaceOnUse"><stop stop-color="#A78BFA"/><stop offset="1" stop-color="#4C1D95" stop-opacity="0.8"/></linearGradient>
<clipPath id="clip0_12_345"><rect width="96" height="64" rx="8" fill="white"/></clipPath>
<image id="image0" width="2" height="2" preserveAspectRatio="none" xlink:href="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP4z8DAAMIM/xkYGP4zAAAd9QP+pVYqkgAAAABJRU5ErkJggg=="/>
</defs>
</svg>`;

const PREFIXED = `<?xml version='1.0' encoding='windows-1250'?>
<svg:svg xmlns:svg='http://www.w3.org/2000/svg' xmlns:l='http://www.w3.org/1999/xlink' width='50' height='50'>
<svg:defs><svg:path id='p' d='M5 45 Q25 5 45 45'/></svg:defs>
<svg:use l:href='#p' fill='none' stroke='#123456' stroke-width='3'/>
<svg:style><![CDATA[ rect > * , .big:not(.small) { fill : rgb( 200 , 10 , 10 ) ; stroke-width : 2px !important } text{font-size:9px} ]]></svg:style>
<svg:circle class='big' cx='25' cy='15' r='9'/><svg:text x='5' y='30'>\u010Caj</svg:text>
</svg:svg>`;

const ANIMATED = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 50 50"><circle cx="25" cy="25" fill="none" r="10" stroke="#1D0E0B" stroke-width="4">
<animate attributeName="r" repeatCount="indefinite" dur="1s" values="0;20" keyTimes="0;1" keySplines="0 0.2 0.8 1" calcMode="spline" begin="0s"/>
<animateTransform attributeName="transform" type="rotate" values="0 25 25;360 25 25" dur="2s"/></circle></svg>`;

/** Drawings written by drawing programs. They must look the same after sanitizing. */
export const REAL_DRAWINGS: readonly (readonly [program: string, source: string])[] = [
  ['Inkscape', INKSCAPE],
  ['Illustrator', ILLUSTRATOR],
  ['Figma', FIGMA],
  ['a program that writes prefixes', PREFIXED.replace('windows-1250', 'utf-8')],
  ['a spinner', ANIMATED],
];

export const IN_WINDOWS_1250: Uint8Array = Uint8Array.from(PREFIXED, (letter) =>
  letter === '\u010C' ? 0xc8 : letter.charCodeAt(0),
);
