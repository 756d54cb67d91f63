const wordSet = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

export const SVG = 'http://www.w3.org/2000/svg';
export const XLINK = 'http://www.w3.org/1999/xlink';
export const XML = 'http://www.w3.org/XML/1998/namespace';

export const ELEMENTS = wordSet(`
  a animate animateMotion animateTransform circle clipPath defs desc ellipse feBlend feColorMatrix feComponentTransfer
  feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB
  feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting
  feSpotLight feTile feTurbulence filter g image line linearGradient marker mask mpath path pattern polygon polyline
  radialGradient rect set stop style svg switch symbol text textPath title tspan use view`);

export const TEXT_ELEMENTS = wordSet('text tspan textPath');
/** Elements that may contain only text, because a parser would read other content as HTML if the SVG is within HTML. */
export const TEXT_ONLY_ELEMENTS = wordSet('title desc');
export const REFERENCING_ELEMENTS = wordSet('feImage filter linearGradient pattern radialGradient textPath use');
export const IMAGE_ELEMENTS = wordSet('image feImage');

/** Presentation attributes. Styles may contain only these properties, too. */
export const PROPERTIES = wordSet(`
  alignment-baseline baseline-shift clip clip-path clip-rule color color-interpolation color-interpolation-filters
  color-rendering cx cy d direction display dominant-baseline fill fill-opacity fill-rule filter flood-color flood-opacity
  font font-family font-feature-settings font-kerning font-size font-size-adjust font-stretch font-style font-variant
  font-variant-caps font-variant-east-asian font-variant-ligatures font-variant-numeric font-variant-position
  font-variation-settings font-weight glyph-orientation-horizontal glyph-orientation-vertical height image-rendering
  inline-size isolation kerning letter-spacing lighting-color line-height marker marker-end marker-mid marker-start mask
  mask-type mix-blend-mode opacity overflow paint-order pointer-events r rx ry shape-inside shape-margin shape-padding
  shape-rendering solid-color solid-opacity stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset
  stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width tab-size text-align text-anchor
  text-decoration text-decoration-color text-decoration-line text-decoration-style text-decoration-thickness text-indent
  text-orientation text-overflow text-rendering text-transform transform transform-box transform-origin unicode-bidi
  vector-effect visibility white-space width word-spacing writing-mode x y`);

const OTHER_ATTRIBUTES = wordSet(`
  accumulate additive amplitude azimuth baseFrequency baseProfile begin bias by calcMode clipPathUnits diffuseConstant
  divisor dur dx dy edgeMode elevation end exponent fill filterRes filterUnits fr from fx fy gradientTransform
  gradientUnits in in2 intercept k1 k2 k3 k4 kernelMatrix kernelUnitLength keyPoints keySplines keyTimes lengthAdjust
  limitingConeAngle markerHeight markerUnits markerWidth mask-type maskContentUnits maskUnits max method min mode
  numOctaves offset operator order orient origin path pathLength patternContentUnits patternTransform patternUnits points
  pointsAtX pointsAtY pointsAtZ preserveAlpha preserveAspectRatio primitiveUnits radius refX refY repeatCount repeatDur
 restart result rotate scale seed side slope spacing specularConstant
  specularExponent spreadMethod startOffset stdDeviation stitchTiles surfaceScale tableValues targetX targetY textLength
  to transform type values version viewBox x1 x2 xChannelSelector y1 y2 yChannelSelector z`);

/** Attributes with free text that viewers never interpret. */
export const FREE_TEXT_ATTRIBUTES = wordSet(`
  id class lang media role systemLanguage requiredExtensions requiredFeatures aria-label aria-hidden aria-labelledby`);

export const ATTRIBUTES: ReadonlySet<string> = new Set([...PROPERTIES, ...OTHER_ATTRIBUTES]);

/** Attributes that may be animated. They contain no references, styles or handlers. */
export const ANIMATED_ATTRIBUTES: ReadonlySet<string> = new Set([
  ...PROPERTIES,
  ...wordSet(`azimuth baseFrequency diffuseConstant dx dy elevation exponent fr fx fy gradientTransform intercept k1 k2 k3
    k4 kernelMatrix limitingConeAngle markerHeight markerWidth numOctaves offset orient pathLength patternTransform
    points pointsAtX pointsAtY pointsAtZ preserveAspectRatio radius refX refY rotate scale seed slope specularConstant
    specularExponent startOffset stdDeviation surfaceScale tableValues textLength values viewBox x1 x2 y1 y2 z`),
]);

/** Functions of CSS values, transforms and selectors that load nothing; `''` is a parenthesis without a name. */
export const FUNCTIONS: ReadonlySet<string> = new Set([
  '',
  ...wordSet(`matrix translate translatex translatey scale scalex scaley rotate skew skewx skewy rgb rgba hsl hsla hwb lab lch
    oklab oklch color color-mix calc min max clamp blur brightness contrast drop-shadow grayscale hue-rotate invert opacity
    saturate sepia circle ellipse inset polygon path rect xywh not is where nth-child nth-of-type`),
]);
