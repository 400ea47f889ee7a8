#ifndef RK_CONVERT_CLANG_IR_KINDS_H
#define RK_CONVERT_CLANG_IR_KINDS_H

/* The kinds of our own tree, ir.h. Each row: our name, and clang's, which is the name in the text form as well. */

#define RK_IR_DECLARATIONS(X)                                                                      \
    X(UNION, UnionDecl)                                                                            \
    X(STRUCT, StructDecl)                                                                          \
    X(CLASS, ClassDecl)                                                                            \
    X(ENUM, EnumDecl)                                                                              \
    X(FIELD, FieldDecl)                                                                            \
    X(ENUM_CONSTANT, EnumConstantDecl)                                                             \
    X(VARIABLE, VarDecl)                                                                           \
    X(PARAMETER, ParmDecl)                                                                         \
    X(TYPEDEF, TypedefDecl)                                                                        \
    X(TYPE_ALIAS, TypeAliasDecl)                                                                   \
    X(FUNCTION, FunctionDecl)                                                                      \
    X(FUNCTION_TEMPLATE, FunctionTemplate)                                                         \
    X(METHOD, CXXMethod)                                                                           \
    X(CONSTRUCTOR, Constructor)                                                                    \
    X(DESTRUCTOR, Destructor)                                                                      \
    X(CONVERSION, ConversionFunction)                                                              \
    X(NAMESPACE, Namespace)                                                                        \
    X(LINKAGE, LinkageSpec)                                                                        \
    X(TYPE_PARAMETER, TemplateTypeParameter)                                                       \
    X(VALUE_PARAMETER, NonTypeTemplateParameter)                                                   \
    X(TEMPLATE_PARAMETER, TemplateTemplateParameter)                                               \
    X(CLASS_TEMPLATE, ClassTemplate)                                                               \
    X(PARTIAL_SPECIALISATION, ClassTemplatePartialSpecialization)                                  \
    X(FRIEND, FriendDecl)                                                                          \
    X(NAMESPACE_ALIAS, NamespaceAlias)                                                             \
    X(USING_NAMESPACE, UsingDirective)                                                             \
    X(USING, UsingDeclaration)                                                                     \
    X(STATIC_ASSERT, StaticAssert)                                                                 \
    X(UNIT, TranslationUnit)                                                                       \
    X(OTHER_DECLARATION, UnexposedDecl)

#define RK_IR_REFERENCES(X)                                                                        \
    X(TYPE_NAME, TypeRef)                                                                          \
    X(TEMPLATE_NAME, TemplateRef)                                                                  \
    X(NAMESPACE_NAME, NamespaceRef)                                                                \
    X(MEMBER_NAME, MemberRef)                                                                      \
    X(BASE, CXXBaseSpecifier)                                                                      \
    X(OVERLOADS, OverloadedDeclRef)                                                                \
    X(OTHER_REFERENCE, VariableRef)

#define RK_IR_EXPRESSIONS(X)                                                                       \
    X(NAME, DeclRefExpr)                                                                           \
    X(MEMBER, MemberRefExpr)                                                                       \
    X(CALL, CallExpr)                                                                              \
    X(INTEGER, IntegerLiteral)                                                                     \
    X(FLOATING, FloatingLiteral)                                                                   \
    X(STRING, StringLiteral)                                                                       \
    X(CHARACTER, CharacterLiteral)                                                                 \
    X(BOOL, CXXBoolLiteralExpr)                                                                    \
    X(NULL_POINTER, CXXNullPtrLiteralExpr)                                                         \
    X(GNU_NULL, GNUNullExpr)                                                                       \
    X(THIS, CXXThisExpr)                                                                           \
    X(PAREN, ParenExpr)                                                                            \
    X(UNARY, UnaryOperator)                                                                        \
    X(BINARY, BinaryOperator)                                                                      \
    X(COMPOUND_ASSIGN, CompoundAssignOperator)                                                     \
    X(CONDITIONAL, ConditionalOperator)                                                            \
    X(SUBSCRIPT, ArraySubscriptExpr)                                                               \
    X(C_CAST, CStyleCastExpr)                                                                      \
    X(FUNCTION_CAST, CXXFunctionalCastExpr)                                                        \
    X(STATIC_CAST, CXXStaticCastExpr)                                                              \
    X(DYNAMIC_CAST, CXXDynamicCastExpr)                                                            \
    X(REINTERPRET_CAST, CXXReinterpretCastExpr)                                                    \
    X(CONST_CAST, CXXConstCastExpr)                                                                \
    X(COMPOUND_LITERAL, CompoundLiteralExpr)                                                       \
    X(INIT_LIST, InitListExpr)                                                                     \
    X(SIZE_OF, UnaryExpr)                                                                          \
    X(SIZE_OF_PACK, SizeOfPackExpr)                                                                \
    X(PACK_EXPANSION, PackExpansionExpr)                                                           \
    X(LAMBDA, LambdaExpr)                                                                          \
    X(STATEMENT_EXPRESSION, StmtExpr)                                                              \
    X(LABEL_ADDRESS, AddrLabelExpr)                                                                \
    X(NEW, CXXNewExpr)                                                                             \
    X(DELETE, CXXDeleteExpr)                                                                       \
    X(THROW, CXXThrowExpr)                                                                         \
    X(OTHER_EXPRESSION, UnexposedExpr)

#define RK_IR_STATEMENTS(X)                                                                        \
    X(COMPOUND, CompoundStmt)                                                                      \
    X(DECLARE, DeclStmt)                                                                           \
    X(IF, IfStmt)                                                                                  \
    X(SWITCH, SwitchStmt)                                                                          \
    X(CASE, CaseStmt)                                                                              \
    X(DEFAULT, DefaultStmt)                                                                        \
    X(WHILE, WhileStmt)                                                                            \
    X(DO, DoStmt)                                                                                  \
    X(FOR, ForStmt)                                                                                \
    X(RANGE_FOR, CXXForRangeStmt)                                                                  \
    X(BREAK, BreakStmt)                                                                            \
    X(CONTINUE, ContinueStmt)                                                                      \
    X(RETURN, ReturnStmt)                                                                          \
    X(GOTO, GotoStmt)                                                                              \
    X(INDIRECT_GOTO, IndirectGotoStmt)                                                             \
    X(LABEL, LabelStmt)                                                                            \
    X(ASSEMBLY, GCCAsmStmt)                                                                        \
    X(MS_ASSEMBLY, MSAsmStmt)                                                                      \
    X(TRY, CXXTryStmt)                                                                             \
    X(CATCH, CXXCatchStmt)                                                                         \
    X(EMPTY, NullStmt)                                                                             \
    X(OTHER_STATEMENT, UnexposedStmt)

#define RK_IR_ATTRIBUTES(X)                                                                        \
    X(CONSTANT_ATTRIBUTE, CUDAConstantAttr)                                                        \
    X(DEVICE_ATTRIBUTE, CUDADeviceAttr)                                                            \
    X(GLOBAL_ATTRIBUTE, CUDAGlobalAttr)                                                            \
    X(HOST_ATTRIBUTE, CUDAHostAttr)                                                                \
    X(SHARED_ATTRIBUTE, CUDASharedAttr)                                                            \
    X(ALIGNED_ATTRIBUTE, AlignedAttr)                                                              \
    X(OTHER_ATTRIBUTE, UnexposedAttr)

/* Operators: our name, and libclang's. */

#define RK_IR_UNARY_OPERATORS(X)                                                                   \
    X(POST_INC, PostInc)                                                                           \
    X(POST_DEC, PostDec)                                                                           \
    X(PRE_INC, PreInc)                                                                             \
    X(PRE_DEC, PreDec)                                                                             \
    X(ADDRESS, AddrOf)                                                                             \
    X(DEREF, Deref)                                                                                \
    X(PLUS, Plus)                                                                                  \
    X(MINUS, Minus)                                                                                \
    X(NOT, Not)                                                                                    \
    X(LOGICAL_NOT, LNot)                                                                           \
    X(REAL, Real)                                                                                  \
    X(IMAG, Imag)                                                                                  \
    X(EXTENSION, Extension)                                                                        \
    X(AWAIT, Coawait)

#define RK_IR_BINARY_OPERATORS(X)                                                                  \
    X(MEMBER_OF, PtrMemD)                                                                          \
    X(MEMBER_OF_POINTER, PtrMemI)                                                                  \
    X(MUL, Mul)                                                                                    \
    X(DIV, Div)                                                                                    \
    X(REM, Rem)                                                                                    \
    X(ADD, Add)                                                                                    \
    X(SUB, Sub)                                                                                    \
    X(SHL, Shl)                                                                                    \
    X(SHR, Shr)                                                                                    \
    X(COMPARE, Cmp)                                                                                \
    X(LESS, LT)                                                                                    \
    X(GREATER, GT)                                                                                 \
    X(LESS_EQUAL, LE)                                                                              \
    X(GREATER_EQUAL, GE)                                                                           \
    X(EQUAL, EQ)                                                                                   \
    X(NOT_EQUAL, NE)                                                                               \
    X(AND, And)                                                                                    \
    X(XOR, Xor)                                                                                    \
    X(OR, Or)                                                                                      \
    X(LOGICAL_AND, LAnd)                                                                           \
    X(LOGICAL_OR, LOr)                                                                             \
    X(ASSIGN, Assign)                                                                              \
    X(MUL_ASSIGN, MulAssign)                                                                       \
    X(DIV_ASSIGN, DivAssign)                                                                       \
    X(REM_ASSIGN, RemAssign)                                                                       \
    X(ADD_ASSIGN, AddAssign)                                                                       \
    X(SUB_ASSIGN, SubAssign)                                                                       \
    X(SHL_ASSIGN, ShlAssign)                                                                       \
    X(SHR_ASSIGN, ShrAssign)                                                                       \
    X(AND_ASSIGN, AndAssign)                                                                       \
    X(XOR_ASSIGN, XorAssign)                                                                       \
    X(OR_ASSIGN, OrAssign)                                                                         \
    X(COMMA, Comma)

/* Types: our name, and clang's. Those from BOOL to LONG_DOUBLE are arithmetic. */

#define RK_IR_TYPES(X)                                                                             \
    X(UNEXPOSED, Unexposed)                                                                        \
    X(VOID, Void)                                                                                  \
    X(BOOL, Bool)                                                                                  \
    X(CHAR_U, Char_U)                                                                              \
    X(UCHAR, UChar)                                                                                \
    X(CHAR16, Char16)                                                                              \
    X(CHAR32, Char32)                                                                              \
    X(USHORT, UShort)                                                                              \
    X(UINT, UInt)                                                                                  \
    X(ULONG, ULong)                                                                                \
    X(ULONGLONG, ULongLong)                                                                        \
    X(UINT128, UInt128)                                                                            \
    X(CHAR_S, Char_S)                                                                              \
    X(SCHAR, SChar)                                                                                \
    X(WCHAR, WChar)                                                                                \
    X(SHORT, Short)                                                                                \
    X(INT, Int)                                                                                    \
    X(LONG, Long)                                                                                  \
    X(LONGLONG, LongLong)                                                                          \
    X(INT128, Int128)                                                                              \
    X(FLOAT, Float)                                                                                \
    X(DOUBLE, Double)                                                                              \
    X(LONG_DOUBLE, LongDouble)                                                                     \
    X(HALF, Half)                                                                                  \
    X(FLOAT16, Float16)                                                                            \
    X(BFLOAT16, BFloat16)                                                                          \
    X(NULLPTR, NullPtr)                                                                            \
    X(OVERLOAD, Overload)                                                                          \
    X(DEPENDENT, Dependent)                                                                        \
    X(POINTER, Pointer)                                                                            \
    X(REFERENCE, LValueReference)                                                                  \
    X(RVALUE_REFERENCE, RValueReference)                                                           \
    X(MEMBER_POINTER, MemberPointer)                                                               \
    X(RECORD, Record)                                                                              \
    X(ENUM, Enum)                                                                                  \
    X(TYPEDEF, Typedef)                                                                            \
    X(ELABORATED, Elaborated)                                                                      \
    X(AUTO, Auto)                                                                                  \
    X(FUNCTION, FunctionProto)                                                                     \
    X(ARRAY, ConstantArray)                                                                        \
    X(INCOMPLETE_ARRAY, IncompleteArray)                                                           \
    X(VARIABLE_ARRAY, VariableArray)                                                               \
    X(DEPENDENT_ARRAY, DependentSizedArray)                                                        \
    X(VECTOR, Vector)

/* What a declaration is, besides its kind: our name, and the one in the text form. */

#define RK_IR_FLAGS(X)                                                                             \
    X(SYSTEM, system)                                                                              \
    X(DEFINED, defined)                                                                            \
    X(KERNEL, global)                                                                              \
    X(DEVICE, device)                                                                              \
    X(HOST, host)                                                                                  \
    X(SHARED, shared)                                                                              \
    X(CONSTANT, constant)                                                                          \
    X(EXTERN, extern)                                                                              \
    X(STATIC, static)                                                                              \
    X(STATIC_METHOD, static_method)                                                                \
    X(VIRTUAL, virtual)                                                                            \
    X(PURE, pure)                                                                                  \
    X(CONST_METHOD, const_method)                                                                  \
    X(BIT_FIELD, bit_field)                                                                        \
    X(ANONYMOUS, anonymous)

/* What a node is to its parent: our name, and the one in the text form. */

#define RK_IR_ROLES(X)                                                                             \
    X(INIT, init)           /**< of the head of a statement: before its first `;` */               \
    X(VARIABLE, variable)   /**< of the head: a variable that the condition is */                  \
    X(CONDITION, condition) /**< of the head: what is asked, or the value of a `switch` */         \
    X(STEP, step)           /**< of the head of a `for` */                                         \
    X(RANGE, range)         /**< of the head of a loop over a range */                             \
    X(BODY, body)           /**< of a loop, a `switch` or a function */                            \
    X(THEN, then)                                                                                  \
    X(ELSE, else)                                                                                  \
    X(ARGUMENT, argument) /**< of a call: rk_ir_node.slot says which */                            \
    X(VALUE, value)       /**< of a variable: its initial value */

#endif
